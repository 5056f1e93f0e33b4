// Effects of the options for the export of log rows. Each needs a receiver, so its own test shows it.
import type { Effects } from './effects-stage.ts';

const file = 'tests/integration/admin/logs/log-export.test.ts';

export const logExportEffects: Effects = {
  LogExportTarget: { effect: 'Where log rows are sent', file },
  LogExportUrl: { effect: 'The address of the receiver', file },
  LogExportName: { effect: 'The table or the bucket that gets the rows', file },
  LogExportRegion: { effect: 'The region that requests to the storage are signed for', file },
  LogExportUser: { effect: 'The user of ClickHouse, or the access key of the storage', file },
  LogExportSecret: { effect: 'The password, the secret of the storage, or the key of the signature', file },
};
