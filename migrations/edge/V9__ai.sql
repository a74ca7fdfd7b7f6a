-- Conversations with the assistant. Conventions as in V1.

-- ---------------------------------------------------------------------------------------------------------- ai
-- LOCAL. What one account asked at one outlet; the newest 50 are kept.
CREATE TABLE ai_conversations (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL REFERENCES outlets (id),
  account_id BLOB NOT NULL,
  title TEXT NOT NULL,
  context TEXT,                            -- JSON: how the last question was understood, for "and yesterday?"
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX ai_conversations_newest ON ai_conversations (outlet_id, account_id, updated_at);

-- LOCAL. Questions and answers, in the order of their ids.
CREATE TABLE ai_messages (
  id BLOB PRIMARY KEY NOT NULL,
  outlet_id BLOB NOT NULL,
  conversation_id BLOB NOT NULL REFERENCES ai_conversations (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('USER', 'ASSISTANT')),
  text TEXT NOT NULL,
  answer TEXT,                             -- JSON: facts, table, sources and engine of an answer
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX ai_messages_of ON ai_messages (conversation_id, id);
