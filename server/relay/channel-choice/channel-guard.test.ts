import { expect, test } from 'bun:test';
import { httpFailure } from '#server/relay/errors/upstream-failure.ts';
import { accountFault } from './channel-guard.ts';

const settings = { AutomaticDisableKeywords: ['You exceeded your current quota'] };
const quota = JSON.stringify({
  error: {
    code: 429,
    message: 'You exceeded your current quota, please check your plan and billing details.',
    status: 'RESOURCE_EXHAUSTED',
  },
});
const faultOf = (text: string, retryAfter?: string) =>
  accountFault(httpFailure(429, 429, text, retryAfter), settings, () => '');

test('a quota that is used up is a fault of the account; a rate limit that names its end is not', () => {
  expect(faultOf(quota)).toStartWith('keyword ');
  expect(faultOf(quota, '31')).toBeUndefined();
  const delayed = JSON.parse(quota) as { error: Record<string, unknown> };
  delayed.error['details'] = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '31s' }];
  expect(faultOf(JSON.stringify(delayed))).toBeUndefined();
});
