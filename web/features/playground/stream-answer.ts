/** Streams one answer of a model into its conversation, and what it was charged. */
import { queryClient } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { selfQuery } from '#web/api/queries.ts';
import { display } from '#web/ui/format/display.ts';
import { quotaToMoney } from '#web/ui/format/number.ts';
import { readCharge } from './charge.ts';
import type { ToolCall } from './call.ts';
import type { Answer } from './conversation.ts';
import { readLoggedCharge } from './queries.ts';
import type { chatRequest } from './request.ts';
import { StreamFailure } from './chunk.ts';
import { streamChat } from './stream.ts';

/** At most one state change per frame while streaming. */
const FRAME_MILLISECONDS = 40;

interface StreamOptions {
  /** The answer as it is before anything came. */
  start: Answer;
  words: { unreachable: string; broken: string };
  signal: AbortSignal;
  /** Dollars of an answer, where the price is known. */
  costOf: (answer: Answer) => number | undefined;
  write: (next: (answer: Answer) => Answer) => void;
  onEnd: () => void;
  /** Stores the conversation. */
  keep: () => void;
}

export async function streamAnswer(
  request: ReturnType<typeof chatRequest>,
  { start, words, signal, costOf, write, onEnd, keep }: StreamOptions,
): Promise<void> {
  const startedAt = performance.now();
  const since = () => performance.now() - startedAt;
  let draft: Answer = start;
  let requestId: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const grow = (part: Partial<Answer>) => {
    draft = { ...draft, status: 'incomplete', firstTokenMs: draft.firstTokenMs ?? since(), ...part };
    timer ??= setTimeout(() => {
      timer = undefined;
      const shown = draft;
      write(() => shown);
    }, FRAME_MILLISECONDS);
  };
  const finish = (end: Partial<Answer>) => {
    clearTimeout(timer);
    onEnd();
    const done = { ...draft, totalMs: since(), ...end };
    write(() => ({ ...done, cost: costOf(done) }));
    keep();
    void queryClient.invalidateQueries({ queryKey: selfQuery.queryKey });
    const isCut = done.isStopped === true || done.status === 'error';
    if (isCut && done.usage === undefined && requestId !== undefined) void showCharge(requestId);
  };
  /** The upstream reports no usage when a call is cut, but what was delivered is charged. */
  const showCharge = async (id: string) => {
    const charge = await readCharge(() => readLoggedCharge(id));
    if (!charge) return;
    const { usage, quota } = charge;
    write((before) => ({ ...before, usage, cost: quotaToMoney(quota, display()) }));
    keep();
  };
  const handlers = {
    onText: (text: string) => grow({ content: draft.content + text }),
    onReasoning: (text: string) => grow({ reasoning: draft.reasoning + text }),
    onToolCall: (index: number, piece: Partial<ToolCall>) => {
      const calls = [...(draft.calls ?? [])];
      const before = calls[index] ?? { id: `call_${index}`, name: '', arguments: '' };
      calls[index] = {
        // Some upstreams repeat the id with every piece, none sends another one.
        id: piece.id || before.id,
        name: before.name + (piece.name ?? ''),
        arguments: before.arguments + (piece.arguments ?? ''),
      };
      grow({ calls });
    },
    onUsage: (usage: NonNullable<Answer['usage']>) => {
      draft = { ...draft, usage };
    },
    onRequestId: (found: string) => {
      requestId = found;
    },
  };
  try {
    await streamChat(request, handlers, words, signal);
    finish({ status: 'complete' });
  } catch (error) {
    if (signal.aborted) {
      finish({ status: 'complete', isStopped: true });
      return;
    }
    // Text received before the failure stays above the error.
    const text = errorMessage(error);
    finish({ status: 'error', content: draft.content === '' ? text : `${draft.content}\n\n${text}` });
    // The shared client handles a lost session for the whole console.
    if (error instanceof StreamFailure && error.status === 401) void queryClient.fetchQuery(selfQuery);
  }
}
