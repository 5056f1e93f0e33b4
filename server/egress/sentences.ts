// Why an outgoing request was refused, as a sentence for the operator.
import { egressWords } from '#contract/egress-words.ts';
import type { Language } from '#contract/language.ts';
import type { EgressError } from './refusal.ts';

export function egressSentence({ reason, detail }: EgressError, language: Language): string {
  return egressWords(reason, detail)[language];
}
