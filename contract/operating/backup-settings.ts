// The settings of backups that are made by time; part of the registry in contract/settings.ts.
import { choice, integer, secret, text } from '#contract/setting-kinds.ts';
import { address } from '#contract/setting-texts.ts';

export const BACKUP_SETTINGS = {
  BackupEveryHours: integer(
    0,
    'backup',
    [
      '自动备份间隔（小时，0 为不备份）',
      'Hours between backups (0 = none)',
      '例如 24 为每天一次；备份不含主密钥（请另行保管），使用 PostgreSQL 时服务器上需要有 pg_dump。',
      'For example 24 for one a day; backups do not include the master key, so keep it elsewhere, and PostgreSQL needs pg_dump on the server.',
    ],
    { min: 0, max: 720 },
  ),
  BackupKeep: integer(
    7,
    'backup',
    [
      '保留的备份份数',
      'Backups to keep',
      '超过这个份数时删除最旧的自动备份；手动执行 tollgate backup 得到的文件不受影响。',
      'Beyond this number the oldest scheduled backup is removed; files made with tollgate backup are left alone.',
    ],
    { min: 1, max: 1000 },
  ),
  BackupStorage: choice(['disk', 's3'], 'disk', 'backup', [
    '备份的保存位置',
    'Where backups are kept',
    '磁盘（disk）保存在数据目录的 backups 文件夹，硬盘损坏时会一起丢失；S3 保存在下面的对象存储。',
    'Disk: the backups folder of the data directory, lost if that disk fails; S3: the storage below.',
  ]),
  BackupS3Endpoint: address('', 'backup', [
    '备份的 S3 服务地址',
    'Backup S3 endpoint',
    '兼容 S3 的存储地址，例如 https://s3.eu-central-1.amazonaws.com；内网地址需先加入 AllowedPrivateAddresses。',
    'The address of S3-compatible storage, for example https://s3.eu-central-1.amazonaws.com; a private one must be in AllowedPrivateAddresses.',
  ]),
  BackupS3Bucket: text('', 'backup', [
    '备份的 S3 存储桶',
    'Backup S3 bucket',
    '存放备份的桶，需要事先建好，绝不能公开。',
    'The bucket for backups; it must exist and must not be public.',
  ]),
  BackupS3Region: text('us-east-1', 'backup', [
    '备份的 S3 区域',
    'Backup S3 region',
    '桶所在的区域，例如 eu-central-1；自建存储一般不用修改。',
    'The region of the bucket, for example eu-central-1; rarely changed for your own storage.',
  ]),
  BackupS3AccessKeyId: text('', 'backup', [
    '备份的 S3 Access Key ID',
    'Backup S3 access key ID',
    '需要列出、写入、删除这个桶中对象的权限。',
    'The key only needs permission to list, write and delete objects in this bucket.',
  ]),
  BackupS3Secret: secret('backup', [
    '备份的 S3 Secret Access Key',
    'Backup S3 secret access key',
    '与上面的 Access Key 一起生成的密钥；填错则备份失败并通知超级管理员。',
    'The secret generated with the access key; with a wrong one backups fail and super admins are notified.',
  ]),
} as const;
