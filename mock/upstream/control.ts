// The mock's remote control, for tests that run it in another process:
//   POST /__mock/rules {when?, times?, behaviour} → {id}    DELETE /__mock/rules[/id]
//   GET /__mock/counts    GET /__mock/requests?tag=&key=&limit=    POST /__mock/reset
import type { BehaviourRule, Behaviours } from './behaviours.ts';
import type { Books } from './books.ts';

export const CONTROL_PREFIX = '/__mock/';

export async function serveControl(
  request: Request,
  path: string,
  books: Books,
  behaviours: Behaviours,
): Promise<Response> {
  const [noun = '', id] = path.slice(CONTROL_PREFIX.length).split('/');
  switch (`${request.method} ${noun}`) {
    case 'POST rules':
      return Response.json({ id: behaviours.add((await request.json()) as BehaviourRule) });
    case 'DELETE rules':
      if (id) behaviours.remove(Number(id));
      else behaviours.clear();
      return Response.json({});
    case 'GET counts':
      return Response.json(books.summary());
    case 'GET requests':
      return Response.json(search(new URL(request.url).searchParams, books));
    case 'POST reset':
      behaviours.clear();
      books.reset();
      return Response.json({});
    default:
      return Response.json({ mockFault: `no control ${request.method} ${path}` }, { status: 404 });
  }
}

function search(query: URLSearchParams, books: Books): unknown {
  const tag = query.get('tag');
  const key = query.get('key');
  const limit = Number(query.get('limit') ?? 100);
  return books.requests
    .filter((record) => (tag === null || record.tag === tag) && (key === null || record.key === key))
    .slice(-limit);
}
