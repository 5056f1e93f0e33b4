// Refusals about the single sign-on of organizations. Part of `ERRORS`.
import { entry } from '#contract/error-entry.ts';

export const SIGN_ON_ERRORS = {
  sign_on_disabled: entry(
    403,
    '管理员未启用组织的单点登录',
    'Single sign-on for organizations is turned off on this site. Ask an administrator.',
    'OrganizationSignOn is off',
  ),
  sign_on_unknown: entry(
    200,
    '没有组织为此邮箱的域名启用单点登录。请检查地址，或用其他方式登录',
    'No organization uses single sign-on for this address. Check the address, or sign in another way.',
    'no verified domain with an enabled provider',
  ),
  sign_on_required: entry(
    403,
    '组织“{organization}”要求通过其单点登录进入，请选择“单点登录”',
    'The organization {organization} lets you sign in only through its identity provider. Choose “Single sign-on”.',
    'member of a verified domain signs in in another way',
  ),
  sign_on_email_unverified: entry(
    403,
    '身份提供方没有确认你的邮箱地址，无法登录。请联系组织的管理员',
    'The identity provider has not confirmed your email address. Ask the administrator of your organization.',
    'email missing or email_verified is not true',
  ),
  sign_on_domain_foreign: entry(
    403,
    '你的邮箱域名 {domain} 未经该组织验证，无法登录。请联系组织的管理员',
    'The organization has not verified the mail domain {domain}, so you cannot sign in with it. Ask its administrator.',
    'email domain is not verified by this organization',
  ),
  sign_on_account_protected: entry(
    403,
    '此邮箱属于本站的管理员账户，不能由组织登录或管理',
    'This address belongs to an administrator of the site, whom an organization can neither sign in nor manage.',
    'account has a role on the site',
  ),
  sign_on_inactive: entry(
    403,
    '组织已停用你的访问权限。如有疑问，请联系组织的管理员',
    'Your organization has deactivated your access. Ask its administrator.',
    'SCIM set active to false',
  ),
  sign_on_issuer_invalid: entry(
    200,
    '颁发者地址必须以 https:// 开头，且不含查询参数',
    'The issuer must be an https:// address without a query.',
    'issuer is no https address',
  ),
  sign_on_issuer_unusable: entry(
    200,
    '此地址没有可用的身份提供方：{address} 必须可以访问，并声明相同的颁发者',
    'There is no usable provider at this address: {address} must be reachable and name the same issuer.',
    'no document of discovery, or one of another issuer',
  ),
  sign_on_secret_required: entry(
    200,
    '请填写客户端密钥；更换颁发者后也必须重新填写',
    'Enter the client secret. It is required again when the issuer changes.',
    'no secret, or another issuer without one',
  ),
  sign_on_needs_domain: entry(
    200,
    '要求单点登录之前，请先启用身份提供方并验证至少一个域名',
    'Turn the identity provider on and verify a mail domain before you require single sign-on.',
    'required without an enabled provider and a verified domain',
  ),
  sign_on_provider_missing: entry(
    200,
    '尚未设置身份提供方',
    'There is no identity provider yet',
    'removal without a provider',
  ),
  domain_invalid: entry(
    200,
    '域名无效，请填写例如 example.com',
    'This is not a domain name. Write it as example.com.',
    'domain does not parse',
  ),
  domain_exists: entry(200, '该域名已在列表中', 'This domain is already in the list', 'second time'),
  domain_taken: entry(
    200,
    '该域名已由另一个组织验证。如果它属于你，请联系管理员',
    'Another organization has verified this domain. If it is yours, ask an administrator.',
    'verified by another organization',
  ),
  domain_limit_reached: entry(
    200,
    '域名数量已达上限 {limit} 个，请先移除一个',
    'The organization already has {limit} domains, the maximum. Remove one first.',
    'domain count limit',
  ),
  domain_not_proven: entry(
    200,
    '没有找到 TXT 记录。请为 {name} 添加值 {value}，等待 DNS 生效后重试',
    'The TXT record was not found. Add {value} at {name}, wait until DNS shows it, and try again.',
    'no TXT record with the value',
  ),
  domain_not_allowed: entry(
    200,
    '本站不允许访问 {name}，请联系站点的管理员',
    'This site is not allowed to reach {name}. Ask an administrator of the site.',
    'host outside the egress list',
  ),
  sign_on_group_taken: entry(
    200,
    '已有同名的用户组，请换一个名称',
    'A group with this name already exists. Choose another name.',
    'name of another group',
  ),
  sign_on_group_named_elsewhere: entry(
    200,
    '该用户组由 SCIM 管理，请在身份提供方修改其名称',
    'SCIM manages this group. Rename it at the identity provider.',
    'rename of a group of SCIM',
  ),
  sign_on_group_limit_reached: entry(
    200,
    '用户组数量已达上限 {limit} 个，请先移除一些',
    'The organization already has {limit} groups, the maximum. Remove some first.',
    'group count limit',
  ),
  sign_on_account_taken: entry(
    403,
    '该账户已属于身份提供方的另一个人。请联系组织的管理员',
    'This account already belongs to another person of the identity provider. Ask the administrator of your organization.',
    'account is linked to another subject',
  ),
  project_not_given: entry(
    200,
    '你的用户组不包含该项目，请选择其他项目',
    'Your groups do not include this project. Choose another one.',
    'project outside the projects of the member',
  ),
  scim_token_limit_reached: entry(
    200,
    'SCIM 密钥数量已达上限 {limit} 个，请先吊销一个',
    'The organization already has {limit} SCIM keys, the maximum. Revoke one first.',
    'token count limit',
  ),
};

/** Part of `FIELD_ERRORS`. */
export const SIGN_ON_FIELD_ERRORS = [
  'project_not_given',
  'sign_on_unknown',
  'sign_on_issuer_invalid',
  'sign_on_issuer_unusable',
  'sign_on_secret_required',
  'sign_on_needs_domain',
  'sign_on_group_taken',
  'sign_on_group_named_elsewhere',
  'domain_invalid',
  'domain_exists',
  'domain_taken',
] as const;
