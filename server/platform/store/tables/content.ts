// What operators write for visitors and users, and what readers chose not to see.
import type { Default, Flag } from './column.ts';

export interface AnnouncementsTable {
  id: Default<number>;
  created_at: number;
  updated_at: number;
  title: Default<string>;
  /** The English version, as `content_en`; empty: there is none. */
  title_en: Default<string>;
  /** Markdown, cleaned when it was saved. */
  content: string;
  content_en: Default<string>;
  level: Default<'info' | 'success' | 'warning' | 'error'>;
  audience: Default<'everybody' | 'users'>;
  /** 0: at once. */
  from_at: Default<number>;
  /** 0: for ever. */
  until_at: Default<number>;
  is_pinned: Default<Flag>;
}

export interface FaqsTable {
  id: Default<number>;
  created_at: number;
  question: string;
  /** The English version, as `answer_en`; empty: there is none. */
  question_en: Default<string>;
  /** Markdown, cleaned when it was saved. */
  answer: string;
  answer_en: Default<string>;
  /** Smaller numbers come first. */
  position: number;
}

/** Items of the overview that a person does not want to see while they have this mark. */
export interface AttentionSnoozesTable {
  user_id: number;
  item: string;
  mark: string;
  created_at: Default<number>;
}

/** Conversations of the playground that their owner keeps on the server. */
export interface KeptChatsTable {
  /** By the browser that began it; unique for its user only. */
  id: string;
  user_id: number;
  created_at: number;
  updated_at: number;
  /** Counts the saves. */
  revision: number;
  /** Sealed: title and number of turns. */
  head: string;
  /** Sealed. */
  content: string;
}

/** Links that show a conversation as it was when the link was made. */
export interface ChatSharesTable {
  id: Default<number>;
  /** Of the secret in the link. */
  digest: string;
  user_id: number;
  created_at: number;
  chat_id: string;
  /** Sealed: the title and the secret, so that the owner can copy the link again. */
  head: string;
  /** Sealed. */
  content: string;
}
