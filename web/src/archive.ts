// Tables in a ZIP archive: phyphox exports its CSV files in one.

/** The tables of the archive, without what phyphox says about the phone; undefined: it is no archive. */
export async function tablesIn(bytes: Uint8Array<ArrayBuffer>): Promise<{ name: string; bytes: Uint8Array }[] | undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 4 || view.getUint32(0, true) !== 0x04034b50) return undefined;
  const tables = [];
  try {
    let end = bytes.length - 22;
    while (view.getUint32(end, true) !== 0x06054b50) --end;
    let at = view.getUint32(end + 16, true);
    for (let i = view.getUint16(end + 10, true); i > 0; --i) {
      const method = view.getUint16(at + 10, true), size = view.getUint32(at + 20, true), local = view.getUint32(at + 42, true);
      const letters = view.getUint16(at + 28, true);
      const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + letters));
      at += 46 + letters + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
      if (!/\.(csv|txt|tsv)$/i.test(name) || /(^|\/)(meta|__MACOSX)\//.test(name)) continue;
      const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      const data = new Blob([bytes.subarray(from, from + size)]).stream();
      const plain = method === 0 ? data : data.pipeThrough(new DecompressionStream('deflate-raw'));
      tables.push({ name: name.split('/').pop()!, bytes: new Uint8Array(await new Response(plain).arrayBuffer()) });
    }
  } catch {
    throw new Error('The archive is damaged.');
  }
  if (!tables.length) throw new Error('There is no table (CSV) in the archive.');
  return tables;
}
