// Effects of the options of notices; the tests of the notices see them.
import type { Effects } from './effects-stage.ts';

export const noticeEffects: Effects = {
  TokenExpiryNoticeDays: {
    effect: 'How long before a token expires its owner is notified',
    file: 'tests/integration/admin/notices/events.test.ts',
  },
  UpstreamBalanceThreshold: {
    effect: 'Below this balance of an upstream the operators are notified',
    file: 'tests/integration/admin/notices/events.test.ts',
  },
  MarginAlertDays: {
    effect: 'Over how many days sales below cost are found',
    file: 'tests/integration/money/ledger/margins.test.ts',
  },
  MarginAlertLoss: {
    effect: 'Above this loss of a model of a channel the operators are notified',
    file: 'tests/integration/money/ledger/margins.test.ts',
  },
  UserNoticePrivateAddressEnabled: {
    effect: 'Whether notices of users may go to the private networks that channels may reach',
    file: 'tests/integration/admin/notices/addresses.test.ts',
  },
};
