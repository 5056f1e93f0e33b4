// The calls that users and groups have alike: read, made, replaced, patched, removed, listed.
import { accept } from './accept.ts';
import {
  answerWith,
  conditionOf,
  isUnchanged,
  numberOf,
  shownOf,
  tagOf,
  type Answer,
  type Asked,
  type Kept,
} from './asked.ts';
import type { Resource } from './filter.ts';
import { answerList, saveChange, type Source } from './lists.ts';
import { applyPatch } from './patch.ts';
import { ScimProblem } from './problem.ts';
import type { ResourceDefinition } from './schema.ts';
import { needs, type Shown } from './shown.ts';

export interface Operations {
  definition: ResourceDefinition;
  /** In messages. */
  what: string;
  /** The attribute that is read from other rows; left out where an answer does not show it. */
  joined: string;
  source(asked: Asked, shown: Shown): Source;
  read(asked: Asked, id: number, isWhole: boolean): Promise<Kept>;
  create(asked: Asked, resource: Resource): Promise<number>;
  change(asked: Asked, before: Kept, resource: Resource): Promise<void>;
  remove(asked: Asked, before: Kept): Promise<void>;
}

export async function answerCall(asked: Asked, operations: Operations): Promise<Answer> {
  const { definition, what } = operations;
  const { method } = asked;
  const shown = shownOf(definition, asked.query);
  if (asked.id !== undefined) return await answerOne(asked, operations, shown, numberOf(asked.id, what));
  if (method === 'GET') return await answerList(asked, shown, operations.source(asked, shown));
  if (method !== 'POST') throw new ScimProblem(405, `${method} is not for all ${what}s.`);
  const made = await operations.create(asked, accept(definition, asked.body));
  return answerWith(shown, await readFor(asked, operations, shown, made), 201);
}

async function answerOne(asked: Asked, operations: Operations, shown: Shown, id: number): Promise<Answer> {
  const { definition, what } = operations;
  const { method, body } = asked;
  switch (method) {
    case 'GET': {
      const kept = await readFor(asked, operations, shown, id);
      if (isUnchanged(asked, kept.version)) return { status: 304, headers: { ETag: tagOf(kept.version) } };
      return answerWith(shown, kept);
    }
    case 'PUT':
    case 'PATCH': {
      const next = (resource: Resource) =>
        accept(definition, method === 'PUT' ? body : applyPatch(definition, resource, body));
      await saveChange(
        asked,
        () => operations.read(asked, id, true),
        (before) => operations.change(asked, before, next(before.resource)),
      );
      return answerWith(shown, await readFor(asked, operations, shown, id));
    }
    case 'DELETE': {
      const before = await operations.read(asked, id, false);
      conditionOf(asked, before.version);
      await operations.remove(asked, before);
      return { status: 204 };
    }
    default:
      throw new ScimProblem(405, `${method} is not for a ${what}.`);
  }
}

const readFor = (asked: Asked, operations: Operations, shown: Shown, id: number): Promise<Kept> =>
  operations.read(asked, id, needs(shown, operations.joined));
