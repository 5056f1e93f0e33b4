// Effects of the options of notices; the tests of the notices see them.
import type { Effects } from './effects-stage.ts';

export const noticeEffects: Effects = {
  TokenExpiryNoticeDays: {
    effect: 'How long before a token expires its owner is notified',
    file: 'tests/integration/notices/events.test.ts',
  },
  UpstreamBalanceThreshold: {
    effect: 'Below this balance of an upstream the operators are notified',
    file: 'tests/integration/notices/events.test.ts',
  },
  UserNoticePrivateAddressEnabled: {
    effect: 'Whether notices of users may go to the private networks that channels may reach',
    file: 'tests/integration/notices/addresses.test.ts',
  },
};
