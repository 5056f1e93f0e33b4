// Effects of the options for files of results. Each needs a finished task and a storage, so its own test shows it.
import type { Effects } from './effects-stage.ts';

const file = 'tests/integration/relay/media/media.test.ts';

export const mediaEffects: Effects = {
  MediaForwardEnabled: { effect: "Songs, videos and covers are shown from this site's address", file },
  MediaMaxMegabytes: { effect: 'A larger file is neither passed on nor kept', file },
  MediaKeepDays: { effect: 'Results are kept for this long and then removed', file },
  MediaKeepGigabytes: { effect: 'The oldest copies make room when the kept files reach this size', file },
  MediaStorage: { effect: 'Copies are kept on the disk or in S3', file },
  MediaS3Endpoint: { effect: 'The storage that copies are sent to', file },
  MediaS3Bucket: { effect: 'The bucket of the copies', file },
  MediaS3Region: { effect: 'The region that requests to the storage are signed for', file },
  MediaS3AccessKeyId: { effect: 'The access key that requests to the storage are signed with', file },
  MediaS3Secret: { effect: 'The secret that requests to the storage are signed with', file },
};
