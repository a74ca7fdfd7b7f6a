-- Transfers between outlets. Conventions as in V1.

-- Transfers of which something came, until what follows from it has been told to both outlets.
CREATE TABLE hub_parcels (
  outlet_id BLOB NOT NULL,
  transfer_id BLOB NOT NULL,
  sender_id BLOB NOT NULL,
  stamp BLOB NOT NULL,                     -- another one whenever something comes
  PRIMARY KEY (outlet_id, transfer_id)
) STRICT;
