import { expect, test } from 'bun:test';
import { groupTone, ratioTone } from './tag.tsx';

test('ACC-9.26 ACC-9.27 ACC-9.28 ACC-9.29 vip and pro are yellow, svip and premium red, others neutral', () => {
  expect(['vip', 'pro', 'svip', 'premium', 'default'].map(groupTone)).toEqual([
    'gold',
    'gold',
    'danger',
    'danger',
    undefined,
  ]);
});

test('ACC-9.30 ACC-9.31 ACC-9.32 ACC-9.33 the ratio badge is red above 5, orange above 3, blue above 1, otherwise green', () => {
  expect([5.01, 5, 3.01, 3, 1.01, 1, 0].map(ratioTone)).toEqual([
    'danger',
    'orange',
    'orange',
    'info',
    'info',
    'success',
    'success',
  ]);
});
