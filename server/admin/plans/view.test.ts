// A subscription as its user sees it, at each time of its life.
import { afterEach, expect, setSystemTime, test } from 'bun:test';
import type { Subscription } from '#server/money/ledger/subscriptions.ts';
import { subscriptionViewOf } from './view.ts';

const now = Date.UTC(2026, 1, 10) / 1000;
const DAY = 86_400;
const plan = { price_quota: 800, price_minor: 0 };

/** In its second period of ten days, of four. */
const seen = (
  more: Partial<Subscription> = {},
  context: { isRenewed?: boolean; isOnSale?: boolean } = {},
) => {
  setSystemTime(now * 1000);
  const row = {
    status: 'active',
    started_at: now - 15 * DAY,
    ends_at: now + 25 * DAY,
    period_ends_at: now + 5 * DAY,
    period_quota: 1000,
    quota: 700,
    held: 60,
    renew_price: 900,
    models: 'a,b',
    currency: 'JPY',
    end_reason: '',
    ...more,
  } as Subscription;
  const { isRenewed = false, isOnSale = true } = context;
  return subscriptionViewOf(row, { planNameEn: '', plan: isOnSale ? plan : undefined, isRenewed });
};

afterEach(() => void setSystemTime());

test('what is left of one that runs is what no call holds, and all of the next period once that is due', () => {
  const common = { resets: true, renew_price: 900, renewal_quota: 800, renewable: true };
  expect(seen()).toMatchObject({
    state: 'active',
    left: 640,
    ...common,
    models: ['a', 'b'],
    currency_digits: 0,
  });
  expect(seen({ period_ends_at: now + 1 })).toMatchObject({ left: 640 });
  // The next call or the job grants it, whichever comes first.
  expect(seen({ period_ends_at: now })).toMatchObject({ state: 'active', left: 1000, resets: true });
});

test('one in its last period is not filled again', () => {
  const last = { period_ends_at: now + 25 * DAY };
  expect(seen(last)).toMatchObject({ state: 'active', left: 640, resets: false });
  expect(seen({ ...last, ends_at: now + 25 * DAY + 1 })).toMatchObject({ resets: true });
});

test('one that has not begun, or is over, has nothing left, and only one that goes on can be renewed', () => {
  const later = { started_at: now + 1, period_ends_at: now + 1, quota: 0, held: 0 };
  expect(seen(later)).toMatchObject({ state: 'scheduled', left: 0, resets: false, renewable: true });
  expect(seen({ started_at: now })).toMatchObject({ state: 'active', left: 640 });
  const over = { state: 'ended', left: 0, resets: false, renew_price: 0, renewable: false };
  expect(seen({ ends_at: now })).toMatchObject(over);
  expect(seen({ status: 'ended', end_reason: 'refund:r:7' })).toMatchObject({
    ...over,
    end_reason: 'refund',
  });
  expect(seen({}, { isRenewed: true })).toMatchObject({ state: 'active', renewable: false });
  expect(seen({}, { isOnSale: false })).toMatchObject({ renewable: false, renewal_quota: 0 });
});
