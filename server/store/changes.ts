// Tells the rest of the process (and, on PostgreSQL, every other node) that rows changed, so that snapshots reload.

export const topics = ['settings', 'channels', 'tokens', 'users', 'sessions'] as const;
export type Topic = (typeof topics)[number];

/** `detail` says what changed (an id, a digest) where the announcer knows; without it everything of the topic may have. */
export type ChangeListener = (detail: string | undefined) => void;

export interface Changes {
  /** Call after the commit, never before: a listener reads the rows at once. */
  announce(topic: Topic, detail?: string): Promise<void>;
  /** Returns the function that ends the subscription. */
  subscribe(topic: Topic, listener: ChangeListener): () => void;
}
