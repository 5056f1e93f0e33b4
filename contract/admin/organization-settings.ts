// Settings of organizations: whether there are any, and who may create one.
import { choice, integer, toggle } from '#contract/setting-kinds.ts';
import { list } from '#contract/setting-texts.ts';

export const ORGANIZATION_CREATION = ['everybody', 'groups', 'admins'] as const;

export const ORGANIZATION_SETTINGS = {
  OrganizationsEnabled: toggle(
    false,
    'organizations',
    [
      '启用组织',
      'Enable organizations',
      '开启后多人可以共用一个组织的余额；关闭后无法打开组织，已有组织的令牌仍可调用。',
      'On: people can share the balance of an organization; off: organizations cannot be opened, but the API keys of existing ones still work.',
    ],
    'public',
  ),
  OrganizationSignOn: toggle(
    false,
    'organizations',
    [
      '启用组织的单点登录',
      'Single sign-on for organizations',
      '开启后组织可以为自己验证过的邮箱域名设置身份提供方（OIDC）和 SCIM；即使注册已关闭，也会为这些域名的人创建账户，但不赠送额度。',
      'On: organizations can set up an identity provider (OIDC) and SCIM for mail domains that they have verified. People of these domains get accounts, without sign-up quota, even if registration is closed.',
    ],
    'public',
  ),
  OrganizationSignOnPrivateAddresses: toggle(false, 'organizations', [
    '允许组织的身份提供方使用内网地址',
    "Organizations' identity providers in private networks",
    '开启后也可以使用环境变量 ALLOWED_PRIVATE_ADDRESSES 中的地址和 http；仅当你信任每个组织的所有者时开启。',
    'On: they may use addresses in ALLOWED_PRIVATE_ADDRESSES, and http. Turn it on only if you trust the owner of every organization.',
  ]),
  OrganizationCreation: choice(ORGANIZATION_CREATION, 'everybody', 'organizations', [
    '谁可以创建组织',
    'Who may create an organization',
    'everybody 表示所有用户，groups 表示只限下面的分组，admins 表示只限管理员。',
    'With everybody, all users can; with groups, the users in the groups below; with admins, only administrators.',
  ]),
  OrganizationCreationGroups: list([], 'organizations', [
    '可以创建组织的分组',
    'Groups that may create organizations',
    '用逗号分隔，例如 vip,svip；只在上一项为 groups 时使用。',
    'Comma-separated, for example vip,svip; used only if the setting above is groups.',
  ]),
  OrganizationsPerUser: integer(
    5,
    'organizations',
    [
      '每个用户最多拥有的组织数',
      'Organizations per owner',
      '一个用户作为所有者的组织达到这个数后不能再创建；管理员不受限。',
      'A user who owns this many cannot create another one; administrators are not limited.',
    ],
    { min: 1, max: 1000 },
  ),
} as const;
