/** The example call in common languages; each is a complete program. */

export interface Sample {
  id: 'curl' | 'python' | 'node';
  label: string;
  code: (baseUrl: string) => string;
}

const MODEL = 'gpt-4o-mini';

export const SAMPLES: readonly Sample[] = [
  {
    id: 'curl',
    label: 'curl',
    code: (baseUrl) => `curl ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer $TOLLGATE_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${MODEL}",
    "messages": [{"role": "user", "content": "Hello"}]
  }'`,
  },
  {
    id: 'python',
    label: 'Python',
    code: (baseUrl) => `from openai import OpenAI

client = OpenAI(base_url="${baseUrl}", api_key="sk-...")
answer = client.chat.completions.create(
    model="${MODEL}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
  },
  {
    id: 'node',
    label: 'Node.js',
    code: (baseUrl) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: 'sk-...' });
const answer = await client.chat.completions.create({
  model: '${MODEL}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`,
  },
];
