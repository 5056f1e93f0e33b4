// Announces changed rows to the rest of the process (and, on PostgreSQL, to every other node), so that snapshots reload.

/** Gets faults that no caller waits for: a lost connection that is being restored, a listener that threw. */
export type FaultListener = (error: unknown, what: string) => void;

/**
 * `allowances`: no row has changed; the slices that nodes hold of a user's balance are needed elsewhere. `answer_cache`: nor here;
 * the detail says which cached answers every node removes.
 */
export const TOPICS = [
  'settings',
  'channels',
  'virtual_models',
  'shadows',
  'tokens',
  'users',
  'sessions',
  'organizations',
  'budgets',
  'allowances',
  'answer_cache',
] as const;
export type Topic = (typeof TOPICS)[number];

/**
 * `detail` says what changed (an id, a digest) where the announcer knows; without it everything of the topic may have. The
 * announcer waits for a promise that is returned.
 */
export type ChangeListener = (detail: string | undefined) => unknown;

export interface Changes {
  /**
   * Call after the commit, never before: a listener reads the rows at once. Listeners of this process have begun when the
   * call returns. The promise resolves when they are done and the other nodes were notified: then the change is in force
   * here. It never rejects.
   */
  announce(topic: Topic, detail?: string): Promise<void>;
  /** Returns the function that ends the subscription. */
  subscribe(this: void, topic: Topic, listener: ChangeListener): () => void;
}

export interface LocalChanges extends Changes {
  /** Resolves when every listener is done; never rejects. */
  dispatch(topic: Topic, detail: string | undefined): Promise<void>;
}

export function isTopic(text: string): text is Topic {
  return (TOPICS as readonly string[]).includes(text);
}

/** A listener that throws is reported to `onFault`; the announcer and the other listeners go on. */
export function localChanges(onFault: FaultListener): LocalChanges {
  const listeners = new Map<Topic, Set<ChangeListener>>(TOPICS.map((topic) => [topic, new Set()]));
  async function notify(listener: ChangeListener, topic: Topic, detail: string | undefined): Promise<void> {
    try {
      await listener(detail);
    } catch (error) {
      onFault(error, `a listener of ${topic} failed`);
    }
  }
  async function dispatch(topic: Topic, detail: string | undefined): Promise<void> {
    await Promise.all(Array.from(listeners.get(topic) ?? [], (listener) => notify(listener, topic, detail)));
  }
  return {
    dispatch,
    announce: dispatch,
    subscribe(topic, listener) {
      // A wrapper of its own lets the same function subscribe twice and leave once.
      const entry: ChangeListener = (detail) => listener(detail);
      listeners.get(topic)?.add(entry);
      return () => {
        listeners.get(topic)?.delete(entry);
      };
    },
  };
}
