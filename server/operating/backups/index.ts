export { writeBackup } from './copy.ts';
export { runClient } from './postgres-tools.ts';
export { fetchFromS3, isS3, sendToS3 } from './s3-file.ts';
export { requireSignature, sentinelOf } from './signature.ts';
export { createBackups, type Backups } from './scheduled.ts';
