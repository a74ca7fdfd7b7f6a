-- What a box that takes another's place needs so that tablets go on believing it. Conventions as in V1.

-- The certificate authority of the outlet's box, with its key, sealed.
ALTER TABLE registry_outlets ADD COLUMN tls_authority BLOB;
