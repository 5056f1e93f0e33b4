// Comparisons of shadow calls and their samples.
import { keepSample } from '#server/relay/shadow-calls/samples.ts';
import { dayOf } from '#server/relay/shadow-calls/spending.ts';
import type { Actor, TestApplication } from '#tests/support/application.ts';
import { confirmed } from './settings-support.ts';

const ANSWER =
  'A year is a leap year when it can be divided by 4. Centuries are leap years only when they can be divided by 400: 1900 was none, 2000 was one.';
const COPY =
  'A leap year is a year that can be divided by 4, except centuries that cannot be divided by 400. So 2000 was a leap year and 1900 was none.';

/** Each sample is another call of the same kind; the third copy failed. */
export async function compareModels(
  application: TestApplication,
  admin: Actor,
  callers: readonly Actor[],
): Promise<void> {
  const { shadowCalls } = application.client(admin);
  const bounds = { share_percent: 5, dollars_per_day: 2, most_samples: 200 };
  const { id } = await shadowCalls.create({
    body: { ...bounds, name: 'Is Gemini good enough?', model: 'gpt-4o', target_model: 'gemini-2.5-flash' },
  });
  await shadowCalls.create({
    body: { ...bounds, name: 'Next house model', model: 'gpt-4.1', target_model: 'coming-soon' },
  });
  await shadowCalls.create({
    body: {
      ...bounds,
      name: 'Spring trial',
      enabled: false,
      model: 'o3-mini',
      target_model: 'deepseek-chat',
    },
  });
  const { db } = application.store;
  const now = Math.floor(Date.now() / 1000);
  for (let at = 0; at < 6; at += 1) {
    const hasFailed = at === 2;
    const row = {
      shadow_id: id,
      request_id: `req_shadow_${at}`,
      user_id: callers[at % callers.length]?.id ?? admin.id,
      group: 'default',
      created_at: now - (6 - at) * 420,
      is_stream: 1 as const,
      model: 'gpt-4o',
      channel_id: 1,
      first_token_ms: 640 + at * 37,
      time_ms: 3120 + at * 211,
      prompt_tokens: 412 + at * 31,
      completion_tokens: 96 + at * 5,
      cost: 4100 + at * 260,
      ending: 'complete',
      copy_model: 'gemini-2.5-flash',
      copy_channel_id: 5,
      copy_first_token_ms: hasFailed ? 0 : 310 + at * 22,
      copy_time_ms: 1480 + at * 96,
      copy_prompt_tokens: hasFailed ? 0 : 405 + at * 30,
      copy_completion_tokens: hasFailed ? 0 : 88 + at * 6,
      copy_cost: hasFailed ? 0 : 760 + at * 41,
      copy_ending: hasFailed ? 'http_503' : 'complete',
    };
    const texts = {
      prompt: 'Which years are leap years?',
      answer: ANSWER,
      copy: hasFailed ? '' : COPY,
      isCut: false,
    };
    await keepSample(application.store, row, texts, { most: 200, isAllowed: () => Promise.resolve(true) });
  }
  await db
    .insertInto('shadow_counts')
    .values({ shadow_id: id, kept: 6, made: 5, failed: 1, busy: 14, no_channel: 3 })
    .execute();
  const day = dayOf(application.settings.current.SiteTimeZone, now);
  await db.insertInto('shadow_days').values({ shadow_id: id, day, spent: 4_300 }).execute();
  await confirmed(application, admin, now + 86_400);
}
