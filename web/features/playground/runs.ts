/** What was sent from the media tabs since the page was loaded. A run goes on while other pages are open. */
import { useSyncExternalStore } from 'react';
import type { TaskPart } from '#contract/relay/tasks.ts';
import { unixSeconds } from '#contract/time.ts';
import type { PlaygroundMedia } from '#web/ui/media/again.ts';
import { readCharge } from './charge.ts';
import { readLoggedCharge } from './queries.ts';
import { submit, taskReport } from './studio-calls.ts';
import type { StudioDraft } from './studio-request.ts';

export interface Run {
  id: number;
  userId: number;
  kind: PlaygroundMedia;
  model: string;
  prompt: string;
  /** Unix seconds. */
  startedAt: number;
  status: 'running' | 'done' | 'failed';
  progress: number;
  parts: readonly TaskPart[];
  pictures: readonly string[];
  reason: string;
  /** Charged; undefined until the log has it. */
  quota: number | undefined;
}

const POLL_MILLISECONDS = 2500;
const MOST_RUNS = 50;
/** The state of a task may be unreadable for a while, for example behind a restart. */
const MOST_FAILED_POLLS = 20;

let runs: readonly Run[] = [];
let count = 0;
const listeners = new Set<() => void>();

function change(next: readonly Run[]): void {
  runs = next;
  for (const listener of listeners) listener();
}

const update = (id: number, part: Partial<Run>) =>
  change(runs.map((run) => (run.id === id ? { ...run, ...part } : run)));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Newest first. */
export function useRuns(userId: number, kind: PlaygroundMedia): readonly Run[] {
  const all = useSyncExternalStore(subscribe, () => runs);
  return all.filter((run) => run.userId === userId && run.kind === kind);
}

interface Start {
  userId: number;
  key: string;
  draft: StudioDraft;
  /** The words for a server that cannot be reached. */
  unreachable: string;
  onEnd: () => void;
}

export function startRun({ userId, key, draft, unreachable, onEnd }: Start): void {
  const { kind, model, prompt } = draft;
  count += 1;
  const id = count;
  const run: Run = {
    id,
    userId,
    kind,
    model,
    prompt,
    startedAt: unixSeconds(),
    status: 'running',
    progress: 0,
    parts: [],
    pictures: [],
    reason: '',
    quota: undefined,
  };
  change([run, ...runs].slice(0, MOST_RUNS));
  void follow(id, key, draft)
    .catch((error: unknown) => {
      const reason = error instanceof TypeError ? unreachable : error instanceof Error ? error.message : '';
      update(id, { status: 'failed', reason });
    })
    .finally(onEnd);
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, POLL_MILLISECONDS));

async function follow(id: number, key: string, draft: StudioDraft): Promise<void> {
  const { requestId, taskId, pictures } = await submit(key, draft);
  if (taskId === '') update(id, { status: 'done', progress: 100, pictures });
  else await poll(id, () => taskReport(taskId));
  const charge = await readCharge(() => readLoggedCharge(requestId));
  if (charge) update(id, { quota: charge.quota });
}

async function poll(id: number, read: () => ReturnType<typeof taskReport>): Promise<void> {
  for (let failed = 0; ;) {
    await pause();
    try {
      const report = await read();
      update(id, report);
      if (report.status !== 'running') return;
      failed = 0;
    } catch (error) {
      failed += 1;
      if (failed >= MOST_FAILED_POLLS) throw error;
    }
  }
}
