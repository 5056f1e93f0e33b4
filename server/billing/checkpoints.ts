// Notes how far running calls are, so that a crash charges for what was delivered. Notes of an eighth of a second are written
// together; a call that ends sooner writes none.
import type { HeldCall, LedgerBackend } from './backend.ts';
import type { CheckpointArgs } from './engine/operations.ts';
import type { Checkpoint, HoldSnapshot } from './ledger.ts';
import { holdSnapshotText } from './snapshot-text.ts';

export interface NotedCall extends HeldCall {
  /** Not yet written with the hold. */
  snapshot: HoldSnapshot | undefined;
}

export interface Checkpoints {
  note(requestId: string, call: NotedCall | undefined, checkpoint: Checkpoint | undefined): void;
  /** The call has ended. */
  forget(requestId: string): void;
  /** Writes what is pending. */
  close(): Promise<void>;
}

const delayMilliseconds = 125;

export function createCheckpoints(
  backend: Pick<LedgerBackend, 'checkpoints'>,
  fault: (error: unknown) => void,
): Checkpoints {
  const pending = new Map<string, { call: NotedCall | undefined; checkpoint: Checkpoint | undefined }>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function write(): void {
    timer = undefined;
    flush().catch(fault);
  }

  async function flush(): Promise<void> {
    if (pending.size === 0) return;
    const list: CheckpointArgs[] = [];
    for (const [requestId, { call, checkpoint }] of pending) {
      const snapshot = call?.snapshot === undefined ? '' : holdSnapshotText(call.snapshot);
      if (call !== undefined) call.snapshot = undefined;
      const text = checkpoint === undefined ? '' : JSON.stringify(checkpoint);
      list.push([requestId, checkpoint?.quota ?? 0, text, snapshot]);
    }
    pending.clear();
    await backend.checkpoints(list);
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
