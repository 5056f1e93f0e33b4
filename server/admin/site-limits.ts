// The limits of this site, for its status and its public documents.
import { BODY_LIMIT_MEGABYTES } from '#contract/admin/limit-words.ts';
import type { StatusView } from '#contract/admin/site.ts';
import type { Settings } from '#contract/settings.ts';

export const siteLimits = (settings: Settings): StatusView['limits'] => ({
  body_megabytes: BODY_LIMIT_MEGABYTES,
  file_megabytes: settings.FileUploadMegabytes,
  files: settings.FilesPerUser,
  calls_per_address: settings.MaxRequestsPerAddress,
  first_byte_seconds: settings.RelayFirstByteSeconds,
  idle_seconds: settings.RelayIdleSeconds,
  total_seconds: settings.RelayTotalSeconds,
  api_calls_per_three_minutes: settings.ApiCallsPerThreeMinutes,
});
