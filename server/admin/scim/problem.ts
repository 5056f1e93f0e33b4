// Errors in SCIM's shape (RFC 7644, 3.12).
import { DirectoryRefusal, type DirectoryProblem } from '#server/admin/scim-directory.ts';
import { AppError, errorMessage } from '#contract/errors.ts';

export const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidVers';

export class ScimProblem extends Error {
  override name = 'ScimProblem';
  readonly status: number;
  readonly scimType: ScimType | undefined;
  constructor(status: number, detail: string, scimType?: ScimType) {
    super(detail);
    this.status = status;
    this.scimType = scimType;
  }
}

export const invalidValue = (detail: string) => new ScimProblem(400, detail, 'invalidValue');
export const invalidPath = (detail: string) => new ScimProblem(400, detail, 'invalidPath');

const STATUS: Readonly<Record<DirectoryProblem, [number, ScimType | undefined]>> = {
  not_found: [404, undefined],
  version: [412, undefined],
  uniqueness: [409, 'uniqueness'],
  invalid: [400, 'invalidValue'],
  too_many: [413, 'tooMany'],
  forbidden: [403, undefined],
};

/** Undefined: a fault of the server. */
export function problemOf(error: unknown): ScimProblem | undefined {
  if (error instanceof ScimProblem) return error;
  if (error instanceof DirectoryRefusal) {
    const [status, scimType] = STATUS[error.problem];
    return new ScimProblem(status, error.message, scimType);
  }
  if (error instanceof AppError) {
    const status = error.code === 'sign_on_domain_foreign' ? 400 : Math.max(error.status, 400);
    const scimType = status === 400 ? 'invalidValue' : undefined;
    return new ScimProblem(status, errorMessage(error.code, 'en', error.parameters), scimType);
  }
  return undefined;
}

export const problemBody = ({ status, scimType, message }: ScimProblem) => ({
  schemas: [ERROR_SCHEMA],
  status: String(status),
  ...(scimType === undefined ? {} : { scimType }),
  detail: message,
});
