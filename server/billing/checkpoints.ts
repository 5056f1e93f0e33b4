// Notes how far running calls are, so that a crash charges for what was delivered. Notes are written together, an eighth of a
// second after the first; a call that ends sooner writes none.
import type { LedgerBackend, ProgressNote } from './backend.ts';
import type { Checkpoint } from './ledger.ts';
import type { RunningCall } from './running-call.ts';
import { holdSnapshotText } from './snapshot-text.ts';

export interface Checkpoints {
  note(requestId: string, call: RunningCall | undefined, checkpoint: Checkpoint | undefined): void;
  /** The call has ended. */
  forget(requestId: string): void;
  /** Writes what is pending. */
  close(): Promise<void>;
}

interface Pending {
  call: RunningCall | undefined;
  checkpoint: Checkpoint | undefined;
}

const delayMilliseconds = 125;

export function createCheckpoints(
  backend: Pick<LedgerBackend, 'noteProgress'>,
  onFault: (error: unknown) => void,
): Checkpoints {
  const pending = new Map<string, Pending>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function write(): void {
    timer = undefined;
    flush().catch(onFault);
  }

  async function flush(): Promise<void> {
    if (pending.size === 0) return;
    const notes = Array.from(pending, ([requestId, { call, checkpoint }]): ProgressNote => {
      const snapshot = call?.takeSnapshot();
      const text = snapshot === undefined ? '' : holdSnapshotText(snapshot);
      return { call, operation: { kind: 'noteProgress', requestId, checkpoint, snapshot: text } };
    });
    pending.clear();
    await backend.noteProgress(notes);
  }

  return {
    note(requestId, call, checkpoint) {
      if (checkpoint === undefined && pending.has(requestId)) return;
      pending.set(requestId, { call, checkpoint });
      timer ??= setTimeout(write, delayMilliseconds);
    },
    forget(requestId) {
      if (pending.size > 0) pending.delete(requestId);
    },
    async close() {
      clearTimeout(timer);
      await flush().catch(() => {});
    },
  };
}
