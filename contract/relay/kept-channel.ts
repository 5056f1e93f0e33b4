// Whether a conversation kept its channel (ADR 122). Without schemas, so that the console loads none for its words.

/**
 * `kept`: the channel that answered the conversation last got the call. `weight`: none was known, so priority and weight chose. The others
 * say why the one that was known did not get it: deleted or without the model, disabled, unfit for the request, paused after a failure, at
 * its limit of calls at once, at a limit of its upstream, behind a channel of a higher priority, or only a reserve.
 */
export const KEPT_WORDS = [
  'kept',
  'weight',
  'gone',
  'off',
  'unsuited',
  'paused',
  'busy',
  'limit',
  'priority',
  'reserve',
] as const;
export type KeptWord = (typeof KEPT_WORDS)[number];
