-- Attendance, and the papers of the staff. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- attendance
