// With WORKERS a question for /metrics reaches any one of the processes on the port. It asks the others through the parent,
// which passes every message on, and answers with the sum.
import { randomUUID } from 'node:crypto';
import type { Registry } from 'prom-client';
import { z } from 'zod';

const wanted = z.object({ kind: z.literal('figures-wanted'), question: z.string() });
const figures = z.object({
  kind: z.literal('figures'),
  question: z.string(),
  figures: z.array(z.looseObject({ name: z.string() })),
});
const message = z.union([wanted, figures]);

/** What one process sends to the others; Bun's and Node's `process` with a channel to a parent. */
export interface MessageChannel {
  send?(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  off(event: 'message', listener: (message: unknown) => void): unknown;
}

export interface Siblings {
  /** The figures of the other processes; of those that answer in time. */
  figures(): Promise<object[][]>;
  close(): void;
}

const PATIENCE_MILLISECONDS = 2000;

export function createSiblings(registry: Registry, count: number, channel: MessageChannel): Siblings {
  const questions = new Map<string, (answer: object[]) => void>();
  const onMessage = (received: unknown) => {
    const { data } = message.safeParse(received);
    if (data === undefined) return;
    if (data.kind === 'figures') return questions.get(data.question)?.(data.figures);
    const { question } = data;
    void registry
      .getMetricsAsJSON()
      .then((own) => channel.send?.({ kind: 'figures', question, figures: own }));
  };
  channel.on('message', onMessage);
  return {
    async figures() {
      const question = randomUUID();
      const answers: object[][] = [];
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, PATIENCE_MILLISECONDS);
      questions.set(question, (answer) => {
        answers.push(answer);
        if (answers.length >= count) resolve();
      });
      channel.send?.({ kind: 'figures-wanted', question });
      await promise;
      clearTimeout(timer);
      questions.delete(question);
      return answers;
    },
    close: () => void channel.off('message', onMessage),
  };
}
