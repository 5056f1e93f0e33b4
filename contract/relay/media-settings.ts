// The settings of results of tasks: served from our address and kept; part of the registry in contract/settings.ts.
import { choice, integer, secret, text, toggle } from '#contract/setting-kinds.ts';
import { address } from '#contract/setting-texts.ts';

export const MEDIA_SETTINGS = {
  MediaForwardEnabled: toggle(true, 'media', [
    '将音乐与视频的上游地址替换为服务器地址',
    'Replace upstream addresses of music and videos with our own',
    '开启后音频、视频和封面经本站转发，用户看不到上游的地址。',
    "On: songs, videos and covers go through this site and users do not see the upstream's address.",
  ]),
  MediaMaxMegabytes: integer(
    500,
    'media',
    [
      '单个文件的大小上限（MB）',
      'Result file size limit (MB)',
      '超过这个大小的结果不会经本站转发，也不会保存；例如 500。',
      'Larger results are neither passed on nor kept. Example: 500.',
    ],
    { min: 1, max: 10_000 },
  ),
  MediaKeepDays: integer(
    0,
    'media',
    [
      '结果保存天数（0 为不保存）',
      'Days to keep results (0 = not kept)',
      '绘图、音乐和视频完成后保存一份，上游链接失效后仍可打开；只保存经本站转发的结果，减少天数会删除更旧的文件。',
      'Keeps a copy of each finished result that goes through this site, so it still opens after the upstream has deleted it; a lower number removes older files.',
    ],
    { min: 0, max: 3650 },
  ),
  MediaKeepGigabytes: integer(
    10,
    'media',
    [
      '保存的结果总大小上限（GB）',
      'Storage limit for results (GB)',
      '保存的文件达到这个大小后，先删除最旧的；硬盘剩余不足 1 GB 时也不再保存。',
      'When the kept files reach this size the oldest are removed; nothing is kept while the disk has less than 1 GB free.',
    ],
    { min: 1, max: 1_000_000 },
  ),
  MediaStorage: choice(['disk', 's3'], 'disk', 'media', [
    '结果的保存位置',
    'Where results are kept',
    '磁盘（disk）保存在数据目录，S3 保存在下面的对象存储；多台机器请用 S3。',
    'Disk: in the data directory; S3: in the storage below, which several machines need.',
  ]),
  MediaS3Endpoint: address('', 'media', [
    'S3 服务地址',
    'S3 endpoint',
    '兼容 S3 的存储地址，例如 https://s3.eu-central-1.amazonaws.com；内网地址需先加入 AllowedPrivateAddresses。',
    'The address of S3-compatible storage, for example https://s3.eu-central-1.amazonaws.com; a private one must be in AllowedPrivateAddresses.',
  ]),
  MediaS3Bucket: text('', 'media', [
    'S3 存储桶',
    'S3 bucket',
    '存放结果的桶，需要事先建好，不要设为公开。',
    'The bucket for results; it must exist and should not be public.',
  ]),
  MediaS3Region: text('us-east-1', 'media', [
    'S3 区域',
    'S3 region',
    '桶所在的区域，例如 eu-central-1；自建存储一般不用修改。',
    'The region of the bucket, for example eu-central-1; rarely changed for your own storage.',
  ]),
  MediaS3AccessKeyId: text('', 'media', [
    'S3 Access Key ID',
    'S3 access key ID',
    '只需要读、写、删除这个桶中对象的权限。',
    'It only needs to read, write and delete objects in this bucket.',
  ]),
  MediaS3Secret: secret('media', [
    'S3 Secret Access Key',
    'S3 secret access key',
    '与上面的 Access Key 一起生成的密钥；填错则结果不会保存。',
    'The secret generated with the access key; with a wrong one nothing is kept.',
  ]),
} as const;
