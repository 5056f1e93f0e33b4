import { expect, test } from 'bun:test';
import { channelSetting } from './channel-setting.ts';

test('a channel’s strange setting changes nothing', () => {
  const usual = channelSetting('');
  for (const json of ['[]', '5', 'nonsense', '{"force_format":"yes","system_prompt":7,"proxy":null}'])
    expect(channelSetting(json)).toEqual(usual);
  expect(channelSetting('{"force_format":true,"system_prompt":" Hi "}')).toMatchObject({
    forceFormat: true,
    systemPrompt: 'Hi',
  });
});
