// Notes how far running calls are, so that a crash charges for what was delivered. Notes are written together, an eighth of a
// second after the first; a call that ends sooner writes none.
import type { LedgerBackend, ProgressNote } from './backend.ts';
import type { NoteProgress } from './engine/operations.ts';
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
  /** Of a note whose write failed: the call gives its snapshot only once. */
  snapshot: string;
}

const DELAY_MILLISECONDS = 125;
/** After a write that failed. A call that is not streamed notes only once, so nothing else may bring the next write. */
const RETRY_MILLISECONDS = 500;

export function createCheckpoints(
  backend: Pick<LedgerBackend, 'noteProgress'>,
  onFault: (error: unknown) => void,
): Checkpoints {
  const pending = new Map<string, Pending>();
  /** Request ids of the notes that are being written and whose calls have not ended. */
  const sent = new Set<string>();
  let isWriting = false;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function write(): void {
    // One write at a time: a second one would carry no snapshot while the first can still fail.
    timer = isWriting ? setTimeout(write, DELAY_MILLISECONDS) : undefined;
    if (!isWriting) flush().catch(onFault);
  }

  async function flush(): Promise<void> {
    if (pending.size === 0) return;
    const notes = Array.from(pending, ([requestId, { call, checkpoint, snapshot: kept }]): ProgressNote => {
      const taken = call?.takeSnapshot();
      const snapshot = taken === undefined ? kept : holdSnapshotText(taken);
      const operation: NoteProgress = { kind: 'noteProgress', requestId, checkpoint, snapshot };
      if (call?.isRenewed === true && snapshot !== '') operation.renews = true;
      return { call, operation };
    });
    pending.clear();
    for (const { operation } of notes) sent.add(operation.requestId);
    let isWritten = false;
    isWriting = true;
    try {
      isWritten = await backend.noteProgress(notes);
    } finally {
      isWriting = false;
      if (!isWritten) notes.forEach(keep);
      sent.clear();
      if (pending.size > 0 && !isClosed) timer ??= setTimeout(write, RETRY_MILLISECONDS);
    }
  }

  /** A note that was not written waits for the next write, with the newer checkpoint if there is one. */
  function keep({ call, operation: { requestId, checkpoint, snapshot } }: ProgressNote): void {
    // The call has ended meanwhile.
    if (!sent.has(requestId)) return;
    const newer = pending.get(requestId)?.checkpoint;
    pending.set(requestId, { call, checkpoint: newer ?? checkpoint, snapshot });
  }

  return {
    note(requestId, call, checkpoint) {
      const before = pending.get(requestId);
      if (checkpoint !== undefined || before === undefined)
        pending.set(requestId, { call, checkpoint, snapshot: before?.snapshot ?? '' });
      timer ??= setTimeout(write, DELAY_MILLISECONDS);
    },
    forget(requestId) {
      if (pending.size > 0) pending.delete(requestId);
      if (sent.size > 0) sent.delete(requestId);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await flush().catch(() => {});
    },
  };
}
