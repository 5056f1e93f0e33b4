// Refusals because nobody was left to send the call to, as rows of `refused_calls`.
import { sql } from 'kysely';
import type { RelayErrorCode } from '#server/relay/errors/relay-error.ts';

export const NO_CHANNEL = [
  'no_channel',
  'channels_busy',
  'upstream_saturated',
] as const satisfies RelayErrorCode[];

/** A model that no channel of the caller's group has was never offered: that refusal is the caller's. */
export const isOffered = sql<boolean>`exists (select 1 from abilities
  where abilities."group" = refused_calls."group" and abilities.model = refused_calls.model_name)`;
