// Effects of the options for backups. Each needs a storage, so its own test shows it.
import type { Effects } from './effects-stage.ts';

const file = 'tests/integration/platform/jobs/backup.test.ts';

export const backupEffects: Effects = {
  BackupEveryHours: { effect: 'The interval of the backup job', file },
  BackupKeep: { effect: 'The oldest copies beyond this number are removed', file },
  BackupStorage: { effect: 'Copies stay in the data directory or go to S3', file },
  BackupS3Endpoint: { effect: 'The storage that backups are sent to', file },
  BackupS3Bucket: { effect: 'The bucket of the backups', file },
  BackupS3Region: { effect: 'The region that requests to the storage are signed for', file },
  BackupS3AccessKeyId: { effect: 'The access key that requests to the storage are signed with', file },
  BackupS3Secret: { effect: 'The secret that requests to the storage are signed with', file },
};
