// Every refusal of the product: a stable code, the HTTP status, the public sentence in both languages and an
// internal sentence for the log. `{name}` is filled from the parameters of the error.
//
// Status policy: 401, 403, 404, 405, 409, 413, 415, 429 and 5xx are for the transport. Every other refusal is 200 with
// success=false, as existing API clients expect.
import { CHANNEL_ERRORS } from './relay/channel-errors.ts';
import { entry, type ErrorEntry } from './error-entry.ts';
import type { Language, Text } from './language.ts';
import { ORGANIZATION_ERRORS } from './admin/organization-errors.ts';
import { SIGN_ON_ERRORS, SIGN_ON_FIELD_ERRORS } from './admin/sign-on-errors.ts';
import { PRICE_ERRORS } from './money/price-errors.ts';
import { WALLET_ERRORS } from './money/wallet-errors.ts';

export const ERRORS = {
  // transport
  invalid_json: entry(400, '请求体不是合法的 JSON', 'The request body is not valid JSON', 'body does not parse'),
  invalid_parameter: entry(200, '无效的参数：{detail}', 'Invalid parameter: {detail}', 'input failed its schema'),
  control_characters: entry(400, '{field} 不能含有控制字符', '{field} must not contain control characters', 'NUL or another control character in a string of the input'),
  not_signed_in: entry(401, '未登录或登录已过期，请重新登录！', 'You are not signed in or your session has expired. Please sign in again.', 'no valid session or access token'),
  user_header_mismatch: entry(401, '请求头 New-Api-User 缺失，或其用户 ID 与登录的用户不一致', 'The request header New-Api-User is missing or does not contain the ID of the signed-in user', 'user-ID header missing or of another user'),
  cross_site: entry(403, '该请求来自其他网站，已被拦截。请直接打开控制台后重试', 'This request came from another site and was blocked. Open the console directly and try again.', 'Sec-Fetch-Site or Origin is foreign'),
  no_permission: entry(403, '没有权限执行此操作。如需使用，请联系管理员', 'You do not have permission to do this. Ask an administrator for access.', 'role too low'),
  session_only: entry(403, '此操作只能在登录后的网页上完成', 'This can only be done in a browser where you are signed in', 'endpoint refuses access tokens'),
  not_found: entry(404, '内容不存在或已被删除，请刷新后重试', 'This does not exist or has been deleted. Refresh and try again.', 'no such row for this caller'),
  unknown_route: entry(404, '接口不存在：{path}', 'No such endpoint: {path}', 'route not in the contract'),
  method_not_allowed: entry(404, '接口不存在：{path}', 'No such endpoint: {path}', 'path exists, method does not'),
  demo_site: entry(405, '本站仅作演示之用，无服务端', 'This site is for demonstration only, no server', 'write on a demo site'),
  body_too_large: entry(413, '请求体过大，请减少一次发送的内容', 'The request body is too large. Send less at once.', 'body limit'),
  unsupported_media_type: entry(415, '不支持的内容类型', 'Unsupported content type', 'content-type is not JSON'),
  too_many_requests: entry(429, '请求次数过多，请稍后再试', 'Too many requests, please try later', 'per-address limit'),
  server_busy: entry(503, '服务器繁忙，请稍后再试', 'The server is busy. Try again later.', 'a queue is full'),
  database_unavailable: entry(503, '数据库暂不可用，请稍后再试', 'The database is not available. Try again later.', 'database unreachable'),
  internal: entry(500, '服务器内部错误，请联系管理员', 'Internal server error, contact the administrator', 'unexpected exception'),

  // accounts
  credentials_required: entry(200, '用户名和密码不能为空', 'Username and password cannot be empty', 'empty login or create field'),
  wrong_credentials: entry(200, '用户名或密码错误，或用户已被封禁', 'Wrong username or password, or the account is banned', 'login refused'),
  password_login_disabled: entry(200, '管理员已关闭密码登录，请换一种方式登录', 'Password sign-in is off. Use another way to sign in.', 'PasswordLoginEnabled is off'),
  register_disabled: entry(200, '管理员关闭了新用户注册', 'Registration is closed. Ask the administrator for an account.', 'RegisterEnabled is off'),
  password_register_disabled: entry(200, '管理员已关闭密码注册，请使用第三方账户注册', 'Password registration is off. Register with a third-party account instead.', 'PasswordRegisterEnabled is off'),
  username_taken: entry(200, '用户名已存在', 'The username is already taken', 'unique violation on username'),
  email_taken: entry(200, '邮箱地址已被占用', 'This email address is already in use. Sign in, or reset the password.', 'email belongs to another user'),
  email_not_accepted: entry(200, '邮箱地址无效或不在允许的范围内，请换一个', 'This email address is not valid or not accepted here. Use another one.', 'email malformed, domain not listed or an alias'),
  email_required: entry(200, '邮箱地址不能为空', 'The email address is required', 'email missing'),
  email_code_required: entry(200, '请输入邮箱验证码', 'The email verification code is required', 'code missing'),
  email_code_wrong: entry(200, '验证码错误或已过期，请重新获取', 'The verification code is wrong or expired. Request a new one.', 'code mismatch, expired or used up'),
  password_too_short: entry(200, '密码长度不得小于 8 位', 'The password must have at least 8 characters', 'password under 8'),
  password_too_long: entry(200, '密码不能超过 128 个字节', 'The password must not exceed 128 bytes', 'password over 128 bytes'),
  password_too_common: entry(200, '这个密码太常见，请换一个', 'This password is too common. Choose another one.', 'password on the common list'),
  password_unchanged: entry(200, '新密码不能与原密码相同', 'The new password must differ from the current one', 'new password equals the old one'),
  passwords_differ: entry(200, '两次输入的密码不一致', 'The two passwords differ', 'password2 differs'),
  original_password_wrong: entry(200, '原密码错误', 'The current password is wrong', 'password change refused'),
  human_check_failed: entry(200, '人机验证失败，请刷新重试', 'The human check failed. Refresh the page and try again.', 'turnstile refused'),
  user_unavailable: entry(200, '用户不存在或已被封禁', 'The user does not exist or is banned', 'user missing, banned or deleted'),
  outside_login_disabled: entry(200, '管理员未开启 {provider} 登录，请换一种方式', 'Sign-in with {provider} is off. Use another way to sign in.', 'provider is off or not configured'),
  outside_state_invalid: entry(403, '登录请求已失效或不是由此浏览器发起，请重试', 'This sign-in has expired or was not started in this browser. Try again.', 'state missing, used, expired, of another browser or of another intent'),
  outside_unreachable: entry(200, '无法连接至 {provider} 服务器，请稍后重试', 'Unable to connect to {provider}. Try again later.', 'provider did not answer'),
  outside_refused: entry(200, '{provider} 没有确认此次登录，请重试', '{provider} did not confirm this sign-in. Try again.', 'provider refused the code or answered something unusable'),
  outside_already_bound: entry(200, '该 {provider} 账户已绑定其他用户，请先在那里解绑', 'This {provider} account is already linked to another user. Unlink it there first.', 'outside ID belongs to another user'),
  outside_not_bound: entry(200, '该 {provider} 账户未绑定任何用户。请先用其他方式登录，再到个人设置中绑定', 'This {provider} account is not linked to any user. Sign in another way, then link it in your personal settings.', 'no user has this outside ID and none may be made'),
  outside_last_way: entry(200, '这是你唯一的登录方式，请先设置密码、添加通行密钥或绑定其他账户', 'This is your only way to sign in. Set a password, add a passkey or link another account first.', 'unlink of the last way in'),
  linuxdo_trust_too_low: entry(200, 'LinuxDO 信任等级不足：需要 {required} 级', 'Your LinuxDO trust level is too low: level {required} is needed', 'trust level below the minimum'),
  wechat_code_wrong: entry(200, '验证码错误或已过期，请重新获取', 'The verification code is wrong or expired. Request a new one.', 'WeChat server does not know the code, or it was used'),
  user_level_too_high: entry(403, '无权获取同级或更高等级用户的信息', 'You cannot view users with your role or a higher one', 'target role not below the caller'),
  user_not_manageable: entry(403, '无权操作同级或更高等级的用户', 'You cannot change users with your role or a higher one', 'target role not below the caller'),
  user_create_level: entry(403, '无法创建权限大于等于自己的用户', 'You cannot create users with your role or a higher one', 'requested role not below the caller'),
  promotion_needs_root: entry(403, '只有超级管理员可以把其他用户提升为管理员', 'Only the super admin can promote others to admin', 'promote by an admin'),
  root_not_disabled: entry(200, '无法禁用超级管理员用户', 'The super admin cannot be disabled', 'disable of root'),
  root_not_deleted: entry(200, '无法删除超级管理员用户', 'The super admin cannot be deleted', 'delete of root'),
  root_not_demoted: entry(200, '无法降级超级管理员用户', 'The super admin cannot be demoted', 'demote of root'),
  user_already_admin: entry(200, '该用户已经是管理员', 'This user is already an admin', 'promote of an admin'),
  user_already_ordinary: entry(200, '该用户已经是普通用户', 'This user is already an ordinary user', 'demote of a user'),
  user_suspended: entry(200, '该用户已被系统停用，只能在审计页面解除', 'The system suspended this user. Lift the suspension on the audit page.', 'status 3'),
  user_not_suspended: entry(200, '该用户未被系统停用', 'The system has not suspended this user', 'lift without a suspension'),
  user_is_deleted: entry(200, '用户已删除', 'The user is deleted', 'action on a deleted user'),
  user_quota_short: entry(200, '用户额度不足，最多可减少 {available}', "The user's balance is too low: at most {available} can be taken away", 'debit over what is free'),
  group_unknown: entry(200, '分组不存在：{group}', 'No such group: {group}', 'group without a ratio'),
  group_required: entry(200, '分组 default 不能删除', 'The group default cannot be removed', 'GroupRatio without default'),
  group_in_use: entry(200, '分组 {group} 中还有 {users} 个用户，请先把他们移到其他分组', 'The group {group} still has users ({users}). Move them to another group first.', 'removes the ratio of a group with users'),
  too_many_attempts: entry(429, '尝试次数过多，请 {seconds} 秒后再试', 'Too many attempts. Try again in {seconds} seconds.', 'login back-off'),
  email_not_registered: entry(200, '该邮箱地址未注册，请检查地址或先注册', 'This email address is not registered. Check it, or register.', 'no account has the address any more'),
  code_sent_recently: entry(200, '发送过于频繁，请 {seconds} 秒后再试', 'A code was just sent. Try again in {seconds} seconds.', 'resend before the countdown'),
  reset_link_invalid: entry(200, '重置链接无效或已过期，请重新获取', 'This reset link is invalid or has expired. Request a new one.', 'reset token unknown, used or expired'),
  mail_not_configured: entry(200, '管理员尚未配置邮件服务', 'The administrator has not set up email', 'SMTPServer is empty, or both SMTPFrom and SMTPAccount are'),
  mail_failed: entry(200, '邮件发送失败：{detail}', 'The email could not be sent: {detail}', 'SMTP refused or unreachable'),
  step_up_required: entry(403, '请先验证身份，再继续操作', 'Confirm that it is you first, then try again', 'session not confirmed lately'),
  two_factor_required: entry(403, '请先在个人设置中启用两步验证或添加通行密钥', 'Turn on two-factor authentication or add a passkey in your personal settings first', 'AdminTwoFactorRequired and none is set up'),
  initial_password: entry(403, '请先修改初始密码，再继续操作', 'Change the initial password before you continue.', 'the super admin still uses it'),
  password_wrong: entry(200, '密码错误', 'The password is wrong', 'confirmation refused'),
  second_step_expired: entry(200, '登录已超时，请重新输入密码', 'The sign-in took too long. Enter your password again.', 'no password step in this browser, or too many codes'),
  two_factor_code_wrong: entry(200, '验证码错误或已使用，请输入新的验证码', 'The code is wrong or was already used. Enter a new one.', 'TOTP or recovery code refused'),
  two_factor_already_on: entry(200, '两步验证已启用', 'Two-factor authentication is already on', 'enable twice'),
  two_factor_off: entry(200, '尚未启用两步验证', 'Two-factor authentication is not on', 'code asked of an account without TOTP'),
  two_factor_setup_missing: entry(200, '两步验证的设置已失效，请重新开始', 'The two-factor setup has expired. Start it again.', 'enable without setup'),
  passkey_refused: entry(200, '通行密钥验证失败，请重试', 'The passkey was not accepted. Try again.', 'attestation or assertion refused'),
  passkey_limit_reached: entry(200, '通行密钥数量已达上限 {limit} 个，请先删除一个', 'You already have {limit} passkeys, the maximum. Remove one first.', 'passkey count limit'),
  passkey_last_way: entry(200, '这是你唯一的登录方式，请先设置密码、添加其他通行密钥或绑定第三方账户', 'This is your only way to sign in. Set a password, add another passkey or link a third-party account first.', 'removal of the last way in'),
  transfer_too_small: entry(200, '划转金额最低为 {amount}', 'The transfer amount must be at least {amount}', 'invite transfer under one unit'),
  invite_quota_insufficient: entry(200, '邀请额度不足，请减少划转金额', 'Your invite earnings are too low for this transfer. Enter a smaller amount.', 'aff_quota below the amount'),
  root_cannot_leave: entry(200, '不能删除超级管理员账户', 'The super admin account cannot be deleted', 'root asked for its own deletion'),

  // bills of suppliers
  bill_unreadable: entry(200, '无法读取账单：不是 CSV、没有数据行，或日期范围过长。请重新导出', 'The bill cannot be read: it is not CSV, has no lines, or covers too many days. Export it again.', 'CSV does not parse or has no dated line'),
  bill_columns: entry(200, '账单缺少日期、模型，或用量与金额的列。找到的列：{columns}。可以选择“自定义列”并填写列名', 'The bill has no column for the day, the model or any figures. Columns found: {columns}. Choose “Own columns” and name them.', 'columns of the shape are missing'),
  bill_currency: entry(200, '账单的货币是 {currency}，目前只能比较美元', 'The bill is in {currency}; only dollars can be compared', 'currency is not USD'),

  ...WALLET_ERRORS,
  ...ORGANIZATION_ERRORS,
  ...SIGN_ON_ERRORS,

  // tokens
  token_name_required: entry(200, '令牌名称不能为空', 'The API key name is required', 'blank token name'),
  token_name_too_long: entry(200, '令牌名称过长，最多 30 个字符', 'The API key name is too long; use at most 30 characters', 'name over 30'),
  admin_key_limit_reached: entry(200, '管理密钥数量已达上限 {limit} 个，请先吊销一个', 'You already have {limit} admin keys, the maximum. Revoke one first.', 'admin key count limit'),
  token_limit_reached: entry(200, '令牌数量已达上限 {limit} 个，请先删除一个', 'You already have {limit} API keys, the maximum. Delete one first.', 'token count limit'),
  chat_limit_reached: entry(200, '服务器上最多保存 {limit} 个对话，请先删除一些', 'At most {limit} conversations are kept on the server. Remove some first.', 'kept chats limit'),
  chat_changed_elsewhere: entry(409, '这个对话已在另一个浏览器中更改，请刷新后重试', 'This conversation was changed in another browser. Reload it and try again.', 'revision differs'),
  share_limit_reached: entry(200, '最多可以有 {limit} 个分享链接，请先撤销一些', 'You already have the maximum of {limit} links. Revoke some first.', 'chat shares limit'),
  share_too_long: entry(200, '对话太长，无法分享。请新建一个较短的对话再分享', 'The conversation is too long to share. Start a new one and share that.', 'shared chat over its bound'),
  token_expiry_in_past: entry(200, '过期时间不能早于当前时间', 'The expiry time cannot be in the past', 'expired_time before now'),
  token_expired_cannot_enable: entry(200, '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期', 'This API key has expired. Change its expiry time, or set it to never expire, before you enable it.', 'enable of an expired token'),
  token_exhausted_cannot_enable: entry(200, '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度', 'This API key has no quota left. Raise its quota, or make it unlimited, before you enable it.', 'enable of an exhausted token'),
  token_changed_meanwhile: entry(409, '令牌额度在编辑期间已变化，请刷新后重试', 'The quota of this API key changed while you were editing. Refresh and try again.', 'remain_quota differs from the loaded value'),
  token_quota_held: entry(200, '进行中的调用已预扣 {held}，剩余额度不能低于此数', 'Running calls hold {held} of this quota. Enter at least that much, or wait until they end.', 'remain_quota below held_quota'),
  token_restore_too_late: entry(200, '删除已超过 {minutes} 分钟，无法恢复', 'This API key was deleted more than {minutes} minutes ago and cannot be restored', 'restore after the undo window'),
  address_list_invalid: entry(200, '第 {line} 行的地址无效：{address}', 'The address on line {line} is invalid: {address}', 'IP list does not parse'),
  group_not_usable: entry(200, '你不能使用分组 {group}，请选择其他分组', 'You cannot use the group {group}. Choose another one.', 'group not usable by this user'),

  // redemption codes
  redemption_key_missing: entry(200, '未提供兑换码', 'No redemption code provided', 'redeem without a code'),
  redemption_invalid: entry(200, '兑换码无效，请检查是否复制完整', 'This redemption code is not valid. Check that it was copied in full.', 'no such code'),
  redemption_used: entry(200, '该兑换码已被使用', 'This redemption code has been used', 'status 3'),
  redemption_disabled: entry(200, '该兑换码已被禁用', 'This redemption code is disabled', 'status 2'),
  redemption_expired: entry(200, '该兑换码已过期', 'This redemption code has expired', 'expired_time before now'),
  redemption_over_limit: entry(200, '余额已达上限，无法兑换', 'Your balance is at its maximum; the code cannot be redeemed', 'balance over the safe integers'),
  redemption_name_too_long: entry(200, '兑换码名称长度必须在 1 到 20 个字符之间', 'The name of a redemption code must have 1 to 20 characters', 'name over 20'),
  redemption_count_invalid: entry(200, '兑换码个数必须在 1 到 {most} 之间', 'Create between 1 and {most} redemption codes at once', 'count out of range'),
  redemption_expiry_in_past: entry(200, '过期时间不能早于当前时间', 'The expiry time cannot be in the past', 'expired_time before now'),
  redemption_not_editable: entry(200, '只能修改未使用的兑换码', 'Only unused redemption codes can be changed', 'edit of a disabled or used code'),
  redemption_used_fixed: entry(200, '兑换码已被使用，不能启用或禁用', 'The redemption code has been used; it cannot be enabled or disabled', 'status change of a used code'),

  ...CHANNEL_ERRORS,
  changed_meanwhile: entry(409, '{what}在你编辑期间已被{who}修改', '{what}: changed by {who} while you were editing', 'a field differs from based_on'),
  nothing_changed: entry(200, '没有任何修改！', 'Nothing was changed', 'edit without a change'),

  // jobs and nodes
  job_not_found: entry(404, '没有名为 {name} 的任务', 'There is no job named {name}', 'name is not in the registry'),
  cluster_last_node: entry(409, '这是最后一个提供服务的节点。请先恢复其他节点，再排空它', 'This is the last node serving calls. Bring another node back before you drain it.', 'every other node drains, is silent or does not exist'),
  job_running: entry(409, '任务正在运行，结束后再试', 'The job is running. Try again when it has ended.', 'the job runs on this node or another node holds its lease'),

  // logs
  too_many_wildcards: entry(200, '通配符 % 过多，最多 {limit} 个', 'Too many % wildcards, at most {limit}', 'pattern of model names over the limit'),
  log_cleanup_time_required: entry(200, '请选择清理时间', 'Choose the time before which rows are deleted', 'target_timestamp missing'),

  // dashboard
  time_span_too_long: entry(200, '时间跨度不能超过 {days} 天', 'The time span must not exceed {days} days', 'span over the limit'),

  // settings
  unknown_setting: entry(200, '未知的设置项：{key}', 'Unknown setting: {key}', 'key is not in the registry'),
  invalid_setting: entry(200, '“{label}”的值无效：{detail}', 'Invalid value for {label}: {detail}', 'value failed the setting schema'),
  setting_needs_configuration: entry(200, '“{setting}”还不能开启，请先填写“{missing}”', '“{setting}” cannot be turned on yet. Fill in “{missing}” first.', 'switched on before it is configured'),
  setting_not_json: entry(200, '“{label}”不是合法的 JSON 字符串', '{label} is not valid JSON', 'text does not parse'),
  setting_in_use: entry(200, '“{setting}”已启用，请先关闭再清空 {label}', '“{setting}” is on. Turn it off before you clear {label}.', 'clears what a switched-on option needs'),
  server_address_required: entry(200, '请先填写服务器地址', 'Fill in the server address first', 'payment option before ServerAddress'),
  setting_cannot_roll_back: entry(200, '系统不保存密钥的旧值，无法恢复。请重新填写', 'Old secrets are not stored, so this change cannot be rolled back. Enter the secret again.', 'rollback of a secret'),

  ...PRICE_ERRORS,

  // notices
  notice_field_required: entry(200, '请填写：{name}', 'Fill in: {name}', 'a required field of the way is blank'),
  notice_address_refused: entry(200, '此地址无法访问或不允许使用', 'This address cannot be reached or is not allowed', 'egress refused the address of a way'),
  notice_secret_short: entry(200, '签名密钥至少需要 {length} 个字符', 'The signing secret needs at least {length} characters', 'webhook secret too short'),
  faq_full: entry(200, '最多可添加 {most} 个问题，请先删除一个', 'You can add at most {most} questions. Delete one first.', 'limit of questions'),
  notice_ways_full: entry(200, '最多可添加 {most} 种通知方式，请先删除一种', 'You can add at most {most} destinations. Delete one first.', 'limit of ways per receiver'),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
/** A text is shown in the language of the sentence. */
export type ErrorParameters = Record<string, string | number | Text>;

/** Refusals of one field of the input. Their envelope names it in `field`, so that a form shows the message beside it. */
export const FIELD_ERRORS = [
  'invalid_parameter',
  'credentials_required',
  'username_taken',
  'email_taken',
  'email_not_accepted',
  'email_required',
  'email_code_required',
  'email_code_wrong',
  'password_too_short',
  'password_too_long',
  'password_too_common',
  'password_unchanged',
  'passwords_differ',
  'original_password_wrong',
  'password_wrong',
  'two_factor_code_wrong',
  'wechat_code_wrong',
  'user_create_level',
  'user_quota_short',
  'group_unknown',
  'group_required',
  'group_in_use',
  'transfer_too_small',
  'invite_quota_insufficient',
  'token_name_required',
  'token_name_too_long',
  'token_expiry_in_past',
  'token_expired_cannot_enable',
  'token_exhausted_cannot_enable',
  'token_changed_meanwhile',
  'changed_meanwhile',
  'token_quota_held',
  'address_list_invalid',
  'invited_user_unknown',
  'already_member',
  'invitation_open',
  'ownership_to_member',
  'project_name_taken',
  'project_unknown',
  'project_archived',
  'service_account_name_taken',
  'token_owner_unknown',
  'budget_name_taken',
  'budget_subject_unknown',
  'budget_value_unknown',
  'tag_key_not_allowed',
  ...SIGN_ON_FIELD_ERRORS,
  'group_not_usable',
  'channel_name_required',
  'channel_key_required',
  'channel_key_invalid',
  'channel_model_too_long',
  'channel_models_required',
  'channel_groups_required',
  'channel_type_unknown',
  'channel_base_url_required',
  'channel_base_url_invalid',
  'channel_address_private',
  'channel_other_required',
  'channel_other_invalid',
  'channel_mapping_not_json',
  'channel_field_not_json',
  'channel_member_invalid',
  'supplier_name_taken',
  'virtual_model_name_taken',
  'virtual_model_shadows',
  'virtual_model_target_virtual',
  'channel_proxy_invalid',
  'channel_key_needed_for_address',
  'tag_not_found',
  'too_many_wildcards',
  'log_cleanup_time_required',
  'time_span_too_long',
  'unknown_setting',
  'invalid_setting',
  'setting_needs_configuration',
  'setting_not_json',
  'setting_in_use',
  'server_address_required',
  'price_time_past',
  'price_list_unreadable',
  'price_list_unreachable',
  'notice_field_required',
  'notice_address_refused',
  'notice_secret_short',
] as const satisfies readonly ErrorCode[];
type FieldErrorCode = (typeof FIELD_ERRORS)[number];

/** A refusal with a public sentence, translated to a response once, in server/admin/http. The field of a field error is required. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly parameters: ErrorParameters;
  /** Further top-level fields of the envelope. */
  readonly extra: Record<string, unknown>;

  constructor(code: FieldErrorCode, parameters: ErrorParameters, extra: { field: string } & Record<string, unknown>);
  constructor(code: Exclude<ErrorCode, FieldErrorCode>, parameters?: ErrorParameters, extra?: Record<string, unknown>);
  constructor(code: ErrorCode, parameters: ErrorParameters = {}, extra: Record<string, unknown> = {}) {
    super(`${code}: ${ERRORS[code].internal}`);
    this.name = 'AppError';
    this.code = code;
    this.parameters = parameters;
    this.extra = extra;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

export function errorMessage(code: ErrorCode, language: Language, parameters: ErrorParameters = {}): string {
  return ERRORS[code][language].replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = parameters[name];
    return value === undefined ? whole : typeof value === 'object' ? value[language] : String(value);
  });
}
