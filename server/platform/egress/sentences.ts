// Why an outgoing request was refused or had no answer, for the operator who entered the address.
import { factText, wordsIn } from '#contract/facts.ts';
import type { Language } from '#contract/language.ts';
import type { ConnectionError } from './connection-error.ts';
import type { EgressError } from './refusal.ts';

export function egressFact({ reason, detail: name }: EgressError): string {
  if (reason === 'bad_url' || reason === 'bad_proxy') return factText(`egress_${reason}`);
  return factText(`egress_${reason}`, { name });
}

export const egressSentence = (error: EgressError, language: Language): string =>
  wordsIn(language, egressFact(error));

/** The platform's own words are English sentences and say nothing more, except about a certificate. */
export function connectionFact({ reason, message }: ConnectionError): string {
  if (reason === 'certificate') return factText('connection_certificate', { words: message.slice(0, 200) });
  const [isProxy, status = ''] = /^the proxy failed: (?:answered (\d{3}))?/.exec(message) ?? [];
  if (isProxy !== undefined) return factText('connection_proxy', { status });
  return factText(`connection_${reason}`);
}
