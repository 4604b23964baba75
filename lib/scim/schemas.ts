/* The description of the service for identity providers (RFC 7643, 5 to 7). */

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** The most resources of a page. */
export const MAX_COUNT = 200;

/** A page of resources. */
export const listResponse = (
  resources: readonly object[],
  { total = resources.length, startIndex = 1 }: { total?: number; startIndex?: number } = {},
) => ({
  schemas: [LIST_SCHEMA],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});

const unsupported = { supported: false };

export const serviceProviderConfig = (base: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { ...unsupported, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_COUNT },
  changePassword: unsupported,
  sort: unsupported,
  etag: unsupported,
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The token from the settings of the organization.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});

const type = (base: string, name: string, endpoint: string, schema: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: name,
  name,
  endpoint,
  schema,
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
});

export const resourceTypes = (base: string) => [
  type(base, 'User', '/Users', USER_SCHEMA),
  type(base, 'Group', '/Groups', GROUP_SCHEMA),
];

const attribute = (name: string, more: object = {}) => ({
  ...{ name, type: 'string', multiValued: false, required: false, caseExact: false },
  ...{ mutability: 'readWrite', returned: 'default', uniqueness: 'none' },
  ...more,
});

const reference = (to: string, more: object) =>
  attribute('$ref', { type: 'reference', referenceTypes: [to], caseExact: true, ...more });

const many = { type: 'complex', multiValued: true };

const schema = (base: string, id: string, name: string, attributes: object[]) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  ...{ id, name, attributes },
  meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
});

export const schemas = (base: string) => [
  schema(base, USER_SCHEMA, 'User', [
    attribute('userName', { required: true, uniqueness: 'server' }),
    attribute('externalId', { caseExact: true }),
    attribute('name', {
      type: 'complex',
      subAttributes: [
        attribute('givenName'),
        attribute('familyName'),
        attribute('formatted', { mutability: 'readOnly' }),
      ],
    }),
    attribute('displayName'),
    attribute('emails', {
      ...many,
      subAttributes: [
        attribute('value'),
        attribute('type', { canonicalValues: ['work'] }),
        attribute('primary', { type: 'boolean' }),
      ],
    }),
    attribute('active', { type: 'boolean' }),
    attribute('groups', {
      ...many,
      mutability: 'readOnly',
      subAttributes: [
        attribute('value', { mutability: 'readOnly' }),
        attribute('display', { mutability: 'readOnly' }),
        reference('Group', { mutability: 'readOnly' }),
      ],
    }),
  ]),
  schema(base, GROUP_SCHEMA, 'Group', [
    attribute('displayName', { required: true, uniqueness: 'server' }),
    attribute('externalId', { caseExact: true }),
    attribute('members', {
      ...many,
      subAttributes: [
        attribute('value', { mutability: 'immutable' }),
        attribute('type', { mutability: 'immutable', canonicalValues: ['User'] }),
        reference('User', { mutability: 'immutable' }),
      ],
    }),
  ]),
];
