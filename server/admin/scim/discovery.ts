// What this server can do, its resource types and its schemas (RFC 7643, 5 to 7).
import { ScimProblem } from './problem.ts';
import { GROUP, topAttributes, USER, type Attribute, type ResourceDefinition } from './schema.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';
export const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const MOST_RESULTS = 200;

export const serviceProviderConfig = (root: string) => ({
  schemas: [`${CORE}:ServiceProviderConfig`],
  documentationUri: `${root.replace(/\/scim\/v2$/, '')}/docs/sign-on`,
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MOST_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A SCIM key of the organization, in the header Authorization.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${root}/ServiceProviderConfig` },
});

const typeOf = (root: string, { name, endpoint, description, schema, extensions }: ResourceDefinition) => ({
  schemas: [`${CORE}:ResourceType`],
  id: name,
  name,
  endpoint,
  description,
  schema,
  schemaExtensions: extensions.map((each) => ({ schema: each.schema, required: false })),
  meta: { resourceType: 'ResourceType', location: `${root}/ResourceTypes/${name}` },
});

const published = (attribute: Attribute): object => {
  const { name, type, multiValued, description, required, mutability, returned, subAttributes } = attribute;
  const { caseExact, canonicalValues, referenceTypes, uniqueness } = attribute;
  return {
    name,
    type,
    multiValued,
    description,
    required,
    mutability,
    returned,
    uniqueness,
    ...(type === 'string' || type === 'reference' ? { caseExact } : {}),
    ...(canonicalValues.length > 0 ? { canonicalValues } : {}),
    ...(type === 'reference' ? { referenceTypes } : {}),
    ...(type === 'complex' ? { subAttributes: subAttributes.map(published) } : {}),
  };
};

function schemasOf(root: string) {
  const schema = (id: string, name: string, description: string, attributes: readonly Attribute[]) => ({
    schemas: [`${CORE}:Schema`],
    id,
    name,
    description,
    attributes: attributes.map(published),
    meta: { resourceType: 'Schema', location: `${root}/Schemas/${id}` },
  });
  return [USER, GROUP].flatMap((definition) => [
    schema(definition.schema, definition.name, definition.description, [
      ...topAttributes(definition).filter(({ name }) => name === 'externalId'),
      ...definition.attributes,
    ]),
    ...definition.extensions.map(({ schema: id, name, attributes }) =>
      schema(id, name, `${name} of ${definition.name}`, attributes),
    ),
  ]);
}

const listOf = (resources: readonly object[]) => ({
  schemas: [LIST_SCHEMA],
  totalResults: resources.length,
  startIndex: 1,
  itemsPerPage: resources.length,
  Resources: resources,
});

/** A filter on them is refused (RFC 7644, 4). */
export function discovery(
  root: string,
  kind: 'ResourceTypes' | 'Schemas',
  id: string | undefined,
  hasFilter: boolean,
) {
  if (hasFilter) throw new ScimProblem(403, 'Discovery takes no filter.');
  const all: readonly { id: string }[] =
    kind === 'Schemas' ? schemasOf(root) : [USER, GROUP].map((definition) => typeOf(root, definition));
  if (id === undefined) return listOf(all);
  const found = all.find((each) => each.id.toLowerCase() === id.toLowerCase());
  if (found === undefined) throw new ScimProblem(404, `There is no ${id.slice(0, 100)}.`);
  return found;
}
