// The settings of the export of log rows; part of the registry in contract/settings.ts.
import { choice, secret, text } from '#contract/setting-kinds.ts';
import { requestAddress } from '#contract/setting-texts.ts';

export const LOG_EXPORT_TARGETS = ['none', 'clickhouse', 's3', 'webhook'] as const;

export const LOG_EXPORT_SETTINGS = {
  LogExportTarget: choice(LOG_EXPORT_TARGETS, 'none', 'export', [
    '日志导出到',
    'Export log rows to',
    '每一行日志至少发送一次，接收方需按 ID 去重；选 none 则不导出，之后重新开启时从上次的位置继续。',
    'Each log row is sent at least once, so the receiver must drop duplicates by ID; with none, nothing is sent, and an export turned on later continues where the last one stopped.',
  ]),
  LogExportUrl: requestAddress('export', [
    '导出地址',
    'Export address',
    'ClickHouse 的 HTTP 接口、S3 服务或 Webhook 的地址；内网地址需先加入 AllowedPrivateAddresses。',
    "The address of ClickHouse's HTTP interface, of S3 storage or of a webhook; a private one must be in AllowedPrivateAddresses.",
  ]),
  LogExportName: text('tollgate_logs', 'export', [
    '表名或存储桶',
    'Table or bucket',
    'ClickHouse 的表（可写成 库.表，不存在时自动建立）或 S3 的存储桶；Webhook 不使用。',
    'The ClickHouse table (or database.table; created if missing) or the S3 bucket; a webhook does not use it.',
  ]),
  LogExportRegion: text('us-east-1', 'export', [
    'S3 区域',
    'Export S3 region',
    '仅用于 S3，例如 eu-central-1；自建存储一般不用修改。',
    'Only for S3, for example eu-central-1; rarely changed for your own storage.',
  ]),
  LogExportUser: text('', 'export', [
    '导出用户名',
    'Export user',
    'ClickHouse 的用户名，或 S3 的 Access Key ID；Webhook 不使用。',
    'The ClickHouse user or the S3 access key ID; a webhook does not use it.',
  ]),
  LogExportSecret: secret('export', [
    '导出密钥',
    'Export secret',
    'ClickHouse 的密码、S3 的 Secret Access Key，或用来给 Webhook 请求签名的密钥。',
    'The ClickHouse password, the S3 secret access key, or the key that signs requests to the webhook.',
  ]),
} as const;
