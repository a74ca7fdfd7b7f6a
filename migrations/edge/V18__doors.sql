-- What shuts a door that stood open. Conventions as in V1.

-- ------------------------------------------------------------------------------------------------------------- outlets
-- Digits that a PIN needs to approve with: an outlet of before goes on with the PINs it has.
ALTER TABLE outlets ADD COLUMN approver_pin_min_digits INTEGER NOT NULL DEFAULT 4;

-- -------------------------------------------------------------------------------------------------------------- tables
-- Four digits that a party's later orders carry; null for a party of before, whose orders all wait.
ALTER TABLE table_sessions ADD COLUMN session_code TEXT;
ALTER TABLE table_sessions ADD COLUMN code_failures INTEGER NOT NULL DEFAULT 0;

-- -------------------------------------------------------------------------------------------------------------- orders
ALTER TABLE orders ADD COLUMN guest_key BLOB;            -- of the phone that ordered: the hash of its token
