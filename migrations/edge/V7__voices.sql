-- What staff and guests say, and mail. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- tickets
