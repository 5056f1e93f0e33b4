/** What an answer cost that ended without a usage report (stopped or broken off): its row of the log, found by the request id. */
import type { AnswerUsage } from './conversation.ts';

export interface Charge {
  quota: number;
  usage: AnswerUsage;
}

/** The server settles a stopped call after the browser has left, so the row may be late. */
const PAUSES_MILLISECONDS = [300, 700, 1500, 3000, 6000];

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Undefined when the row did not appear in time. */
export async function readCharge(
  read: () => Promise<Charge | undefined>,
  wait: typeof pause = pause,
): Promise<Charge | undefined> {
  for (const milliseconds of PAUSES_MILLISECONDS) {
    await wait(milliseconds);
    const charge = await read().catch(() => undefined);
    if (charge) return charge;
  }
  return undefined;
}
