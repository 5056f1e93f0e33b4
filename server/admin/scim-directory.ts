// What SCIM may do to an organization: `organizations/sign-on` does it, `scim` speaks the protocol.
import type { Actor } from './context.ts';

/** The organization of the token that was presented. */
export interface ScimActor extends Actor {
  readonly organizationId: number;
}

export interface PersonFields {
  userName: string;
  externalId: string;
  /** In lower case. */
  email: string;
  /** For a new account. */
  name: string;
  active: boolean;
  /** JSON of all other attributes, or blank. */
  attributes: string;
}

export interface GroupFields {
  name: string;
  externalId: string;
  /** Ids of people; undefined: as they are. */
  members: readonly number[] | undefined;
}

/** Each change is refused with `version` unless the row still has that number; undefined: whatever it has. */
export interface ScimDirectory {
  createPerson(actor: ScimActor, wanted: PersonFields): Promise<number>;
  changePerson(actor: ScimActor, id: number, wanted: PersonFields, version?: number): Promise<void>;
  removePerson(actor: ScimActor, id: number, version?: number): Promise<void>;
  createGroup(actor: ScimActor, wanted: GroupFields): Promise<number>;
  changeGroup(actor: ScimActor, id: number, wanted: GroupFields, version?: number): Promise<void>;
  removeGroup(actor: ScimActor, id: number, version?: number): Promise<void>;
}

export type DirectoryProblem = 'not_found' | 'version' | 'uniqueness' | 'invalid' | 'too_many' | 'forbidden';

/** Becomes an error in SCIM's shape. */
export class DirectoryRefusal extends Error {
  override name = 'DirectoryRefusal';
  readonly problem: DirectoryProblem;
  constructor(problem: DirectoryProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}
