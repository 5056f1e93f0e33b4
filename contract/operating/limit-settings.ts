// Limits of calls: how long an upstream may take, and how much one address or user may ask for.
import { integer } from '#contract/setting-kinds.ts';

export const LIMIT_SETTINGS = {
  FileUploadMegabytes: integer(
    50,
    'limits',
    [
      '上传文件的大小上限（MB）',
      'Upload size limit (MB)',
      '更大的文件（/v1/files）会被拒绝；入口的请求体上限为 64 MB。',
      'Larger files for /v1/files are refused; request bodies are limited to 64 MB in any case.',
    ],
    { min: 1, max: 60 },
  ),
  FilesPerUser: integer(
    1000,
    'limits',
    [
      '每个用户的文件数上限',
      'Files per user',
      '达到后上传会被拒绝，直到用户删除一些文件。',
      'A user who has reached this number must delete files before the next upload.',
    ],
    { min: 0, max: 1_000_000 },
  ),
  MaxRequestsPerAddress: integer(
    0,
    'limits',
    [
      '单个地址同时进行的请求数上限（0 为不限）',
      'Concurrent requests per IP (0 = no limit)',
      '同一地址正在进行的请求达到这个数时，下一个返回 429。',
      'When this many requests from one IP are running, the next one gets 429.',
    ],
    { min: 0, max: 1_000_000 },
  ),
  RelayFirstByteSeconds: integer(
    600,
    'limits',
    [
      '等待上游首个字节的最长时间（秒）',
      'Upstream first-byte timeout (seconds)',
      '上游在这段时间内没有任何输出，就放弃它并换渠道重试或返回错误。',
      'If an upstream sends nothing for this long, the call is retried on another channel or fails.',
    ],
    {
      min: 1,
      max: 86_400,
    },
  ),
  RelayIdleSeconds: integer(
    300,
    'limits',
    [
      '上游输出停顿的最长时间（秒）',
      'Upstream idle timeout (seconds)',
      '上游输出中断这么久，调用就结束，已输出的部分照常收费。',
      'If an answer pauses for this long, the call ends and what was sent is charged.',
    ],
    { min: 1, max: 86_400 },
  ),
  RelayTotalSeconds: integer(
    3600,
    'limits',
    [
      '单次调用的最长时间（秒）',
      'Maximum call duration (seconds)',
      '调用进行到这个时间就结束，已输出的部分照常收费。',
      'A call that takes longer ends, and what was sent is charged.',
    ],
    { min: 1, max: 86_400 },
  ),

  // Limits per address
  ApiCallsPerThreeMinutes: integer(
    360,
    'limits',
    [
      '单个地址三分钟内的接口调用上限（0 为不限）',
      'API calls per IP in three minutes (0 = no limit)',
      '同一地址三分钟内的管理接口调用超过这个数就返回 429；超级管理员的访问令牌不受限。',
      "Further management API calls from one IP in three minutes get 429; the super admin's access token is exempt.",
    ],
    { min: 0, max: 1_000_000 },
  ),
  PageLoadsPerThreeMinutes: integer(
    120,
    'limits',
    [
      '单个地址三分钟内打开页面的上限（0 为不限）',
      'Page loads per IP in three minutes (0 = no limit)',
      '同一地址三分钟内打开页面的次数上限，多人共用一个出口的办公室可以调高。',
      'Further page loads from one IP in three minutes get 429; raise it for an office that shares one address.',
    ],
    { min: 0, max: 1_000_000 },
  ),
  SearchesPerMinute: integer(
    30,
    'limits',
    [
      '单个用户每分钟搜索的上限（0 为不限）',
      'Searches per user per minute (0 = no limit)',
      '同一用户每分钟搜索的次数上限，输入时每次停顿算一次；管理员不受限。',
      'Further searches by one user in a minute get 429, and every pause while typing counts as one; administrators are not limited.',
    ],
    {
      min: 0,
      max: 1_000_000,
    },
  ),
  FailedSignInsPerTwentyMinutes: integer(
    20,
    'limits',
    [
      '单个地址二十分钟内登录失败的上限（0 为不限）',
      'Failed sign-ins per IP in twenty minutes (0 = no limit)',
      '同一地址二十分钟内登录失败的次数上限；成功的登录不计。',
      'After this many failed sign-ins from one IP in twenty minutes further ones get 429; successful ones do not count.',
    ],
    {
      min: 0,
      max: 1_000_000,
    },
  ),
  SensitiveCallsPerTwentyMinutes: integer(
    20,
    'limits',
    [
      '单个地址二十分钟内注册、验证码等操作的上限（0 为不限）',
      'Sign-ups, codes and orders per IP in twenty minutes (0 = no limit)',
      '同一地址二十分钟内注册、发送验证码、下单等操作的次数上限。',
      'Further sign-ups, email codes, orders and the like from one IP in twenty minutes get 429.',
    ],
    { min: 0, max: 1_000_000 },
  ),
} as const;
