// The attributes of users and groups, declared once: the schema that is published, what is accepted and stored, and the paths of
// filters and patches come from here.

export type AttributeType = 'string' | 'boolean' | 'complex' | 'reference' | 'dateTime';
export type Mutability = 'readWrite' | 'readOnly' | 'immutable';

export interface Attribute {
  readonly name: string;
  readonly type: AttributeType;
  readonly multiValued: boolean;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: Mutability;
  readonly returned: 'default' | 'always';
  readonly uniqueness: 'none' | 'server';
  readonly description: string;
  readonly canonicalValues: readonly string[];
  readonly referenceTypes: readonly string[];
  readonly subAttributes: readonly Attribute[];
}

export interface ResourceDefinition {
  readonly name: 'User' | 'Group';
  readonly endpoint: '/Users' | '/Groups';
  readonly description: string;
  readonly schema: string;
  readonly attributes: readonly Attribute[];
  readonly extensions: readonly { schema: string; name: string; attributes: readonly Attribute[] }[];
}

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

function attribute(name: string, description: string, more: Partial<Attribute> = {}): Attribute {
  return {
    name,
    type: 'string',
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    canonicalValues: [],
    referenceTypes: [],
    subAttributes: [],
    ...more,
    description,
  };
}

const texts = (names: Readonly<Record<string, string>>): Attribute[] =>
  Object.entries(names).map(([name, description]) => attribute(name, description));

/** A list of values with a type, of which one is the primary one. */
const values = (name: string, description: string, types: readonly string[], more: Partial<Attribute> = {}) =>
  attribute(name, description, {
    type: 'complex',
    multiValued: true,
    ...more,
    subAttributes: [
      attribute('value', 'The value.', { required: true }),
      attribute('display', 'A name for people.'),
      attribute('type', 'What it is used for.', { canonicalValues: types }),
      attribute('primary', 'The preferred one of its kind.', { type: 'boolean' }),
    ],
  });

const NAME = attribute('name', 'The parts of the name.', {
  type: 'complex',
  subAttributes: texts({
    formatted: 'The whole name.',
    familyName: 'The family name.',
    givenName: 'The given name.',
    middleName: 'The middle names.',
    honorificPrefix: 'A title before the name.',
    honorificSuffix: 'A suffix after the name.',
  }),
});

const ADDRESSES = attribute('addresses', 'Postal addresses.', {
  type: 'complex',
  multiValued: true,
  subAttributes: [
    ...texts({
      formatted: 'The whole address.',
      streetAddress: 'Street and number.',
      locality: 'City.',
      region: 'State or region.',
      postalCode: 'Postal code.',
      country: 'Country code.',
    }),
    attribute('type', 'What it is used for.', { canonicalValues: ['work', 'home', 'other'] }),
    attribute('primary', 'The preferred one.', { type: 'boolean' }),
  ],
});

const readOnly = { mutability: 'readOnly' } as const;

const USER_GROUPS = attribute('groups', 'The groups that the user is in; changed at the group.', {
  ...readOnly,
  type: 'complex',
  multiValued: true,
  subAttributes: [
    attribute('value', 'The id of the group.', { ...readOnly, caseExact: true }),
    attribute('$ref', 'The address of the group.', {
      ...readOnly,
      type: 'reference',
      referenceTypes: ['Group'],
    }),
    attribute('display', 'The name of the group.', readOnly),
    attribute('type', 'Always direct.', { ...readOnly, canonicalValues: ['direct'] }),
  ],
});

export const USER: ResourceDefinition = {
  name: 'User',
  endpoint: '/Users',
  description: 'Members of the organization',
  schema: USER_SCHEMA,
  attributes: [
    attribute('userName', 'The name at the identity provider, often the mail address.', {
      required: true,
      uniqueness: 'server',
    }),
    NAME,
    attribute('displayName', 'The name shown to people.'),
    ...texts({ nickName: 'A familiar name.' }),
    attribute('profileUrl', 'A page about the person.', { type: 'reference', referenceTypes: ['external'] }),
    ...texts({
      title: 'The title in the company.',
      userType: 'The relation to the company.',
      preferredLanguage: 'The preferred language.',
      locale: 'The locale.',
      timezone: 'The time zone.',
    }),
    attribute('active', 'False: is no member any more; sessions and API keys ended.', {
      type: 'boolean',
      // Every user has one; a new user without it is active.
      required: true,
    }),
    values(
      'emails',
      'Mail addresses; the primary one must be in a verified domain.',
      ['work', 'home', 'other'],
      {
        required: true,
      },
    ),
    values('phoneNumbers', 'Telephone numbers.', ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
    ADDRESSES,
    USER_GROUPS,
    values('entitlements', 'Entitlements at the provider; without meaning here.', []),
    values('roles', 'Roles at the provider; without meaning here: groups give roles.', []),
  ],
  extensions: [
    {
      schema: ENTERPRISE_SCHEMA,
      name: 'EnterpriseUser',
      attributes: [
        ...texts({
          employeeNumber: 'The number of the employee.',
          costCenter: 'The cost center.',
          organization: 'The organization.',
          division: 'The division.',
          department: 'The department.',
        }),
        attribute('manager', 'The manager.', {
          type: 'complex',
          subAttributes: [
            attribute('value', 'The id of the manager.', { caseExact: true }),
            attribute('displayName', 'The name of the manager.', readOnly),
          ],
        }),
      ],
    },
  ],
};

export const GROUP: ResourceDefinition = {
  name: 'Group',
  endpoint: '/Groups',
  description: 'Groups; the console of the organization says which role and projects each gives',
  schema: GROUP_SCHEMA,
  attributes: [
    attribute('displayName', 'The name of the group.', { required: true, uniqueness: 'server' }),
    attribute('members', 'The users in the group.', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The id of the user.', { mutability: 'immutable', caseExact: true }),
        attribute('$ref', 'The address of the user.', {
          type: 'reference',
          mutability: 'immutable',
          referenceTypes: ['User'],
        }),
        attribute('type', 'Always User.', { mutability: 'immutable', canonicalValues: ['User'] }),
      ],
    }),
  ],
  extensions: [],
};

/** Of every resource (RFC 7643, 3.1). */
const COMMON: readonly Attribute[] = [
  attribute('schemas', 'The schemas of the resource.', {
    multiValued: true,
    returned: 'always',
    ...readOnly,
  }),
  attribute('id', 'The number of the resource here.', {
    ...readOnly,
    caseExact: true,
    returned: 'always',
    uniqueness: 'server',
  }),
  attribute('externalId', 'The id of the resource at the provider.', { caseExact: true }),
  attribute('meta', 'When it was made and changed, and its version.', {
    ...readOnly,
    type: 'complex',
    subAttributes: [
      attribute('resourceType', 'Its type.', { ...readOnly, caseExact: true }),
      attribute('created', 'When it was made.', { ...readOnly, type: 'dateTime' }),
      attribute('lastModified', 'When it was changed.', { ...readOnly, type: 'dateTime' }),
      attribute('location', 'Its address.', { ...readOnly, type: 'reference', referenceTypes: ['uri'] }),
      attribute('version', 'Its version.', { ...readOnly, caseExact: true }),
    ],
  }),
];

export const nameIn = <Named extends { name: string }>(
  among: readonly Named[],
  name: string,
): Named | undefined => among.find((each) => each.name.toLowerCase() === name.toLowerCase());

/** Those of the resource itself, without extensions. */
export const topAttributes = ({ attributes }: ResourceDefinition): readonly Attribute[] => [
  ...COMMON,
  ...attributes,
];
