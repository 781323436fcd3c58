// A scenario in an address: deflated, in the part that browsers do not send anywhere.
const squeeze = async (data: BlobPart, stream: GenericTransformStream) =>
  new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(stream)).arrayBuffer());

export async function linkOf(text: string): Promise<string> {
  const bytes = await squeeze(text, new CompressionStream('deflate-raw'));
  const letters = btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return `${location.href.split('#')[0]}#experiment=${letters}`;
}

/** The scenario of an address; none: it has none, or it is damaged. */
export async function textOf(hash: string): Promise<string | undefined> {
  const letters = /^#experiment=([\w-]+)$/.exec(hash)?.[1];
  if (!letters) return undefined;
  try {
    const bytes = Uint8Array.from(atob(letters.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(await squeeze(bytes, new DecompressionStream('deflate-raw')));
  } catch {
    return undefined;
  }
}
