// State of callers between calls: responses, conversations, secrets of realtime sessions.
import type { Default } from './column.ts';

/** What a later call may go on with: a conversation kept for its user, or which channel keeps it. */
export interface StoredResponsesTable {
  id: string;
  user_id: number;
  channel_id: number;
  created_at: number;
  expires_at: number;
  /** The input as JSON items; empty when the upstream keeps it. */
  items: Default<string>;
  /** The response as JSON; of one that the upstream keeps only the model. */
  response: Default<string>;
}

/** Conversations of the Responses API. */
export interface ConversationsTable {
  id: string;
  user_id: number;
  /** Of the organization's key that began it; else 0. */
  project_id: Default<number>;
  created_at: number;
  /** Moves with every use. */
  expires_at: number;
  /** Of the last answer; 0 before the first. */
  channel_id: Default<number>;
  /** Characters of all items. */
  bytes: Default<number>;
  items: Default<number>;
  /** As JSON; empty without any. */
  metadata: Default<string>;
}

export interface ConversationItemsTable {
  /** The order of the items. */
  id: Default<number>;
  conversation_id: string;
  item_id: string;
  item: string;
}

/** Short-lived secrets with which a browser opens a realtime session. */
export interface RealtimeSecretsTable {
  digest: string;
  user_id: number;
  /** The token that issued it; the session is that token's. */
  token_id: number;
  model: string;
  created_at: number;
  expires_at: number;
  /** The configuration of the session, as JSON. */
  session: Default<string>;
}
