import { expect, test } from 'bun:test';
import { siteDay } from '#contract/site-day.ts';
import { middleOf } from './hours.ts';

test('a day that cannot be divided counts for its own date, eleven hours to the west and to the east', () => {
  const day = Date.UTC(2026, 0, 15) / 1000;
  for (const zone of ['Pacific/Pago_Pago', 'America/New_York', 'UTC', 'Asia/Shanghai', 'Pacific/Noumea'])
    expect([zone, siteDay(zone, middleOf(day))]).toEqual([zone, '2026-01-15']);
});
