// Effects of the options of notices; the tests of the notices see them.
import type { Effects } from './effects-stage.ts';

export const noticeEffects: Effects = {
  TokenExpiryNoticeDays: {
    effect: 'How long before an API key expires its owner is notified',
    file: 'tests/integration/admin/notices/events.test.ts',
  },
  UpstreamBalanceThreshold: {
    effect: "Operators are notified when an upstream's balance falls below this",
    file: 'tests/integration/admin/notices/events.test.ts',
  },
  MarginAlertDays: {
    effect: 'Over how many days sales below cost are looked for',
    file: 'tests/integration/money/ledger/margins.test.ts',
  },
  MarginAlertLoss: {
    effect: 'Operators are notified when a model of a channel loses more than this',
    file: 'tests/integration/money/ledger/margins.test.ts',
  },
  UserNoticePrivateAddressEnabled: {
    effect: "Whether users' notifications may go to the private networks that channels may reach",
    file: 'tests/integration/admin/notices/addresses.test.ts',
  },
};
