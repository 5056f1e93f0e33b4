// Why a task failed, for its caller: the stored fact as a sentence. What an upstream said itself is shown unchanged.
import { wordsIn } from '#contract/facts.ts';
import type { Language } from '#contract/language.ts';
import { callerLanguage } from '#server/relay/caller/error-answer.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { Task } from './rows.ts';

/** English where no request names a language, as in a callback. */
export const failWords = (reason: string, language: Language = 'en'): string => wordsIn(language, reason);

/** The task with its reason in the language of the request. */
export const toldTo = ({ request }: Pick<Incoming, 'request'>, task: Task): Task => ({
  ...task,
  fail_reason: failWords(task.fail_reason, callerLanguage(request)),
});
