#!/bin/sh
# run.sh SDK CORPORA: builds the generator with the SDK's compiler and writes the data beside it. SDK: the folder of a .NET Core SDK 3.1; CORPORA: see README.md.
set -e
export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 DOTNET_CLI_TELEMETRY_OPTOUT=1
here=$(cd "$(dirname "$0")" && pwd)
roslyn=$(echo "$1"/sdk/3.1.*/Roslyn/bincore)
refs=$(echo "$1"/packs/Microsoft.NETCore.App.Ref/3.1.*/ref/netcoreapp3.1)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
chmod +x "$1/dotnet"
ls "$refs"/*.dll "$roslyn"/Microsoft.CodeAnalysis.dll "$roslyn"/Microsoft.CodeAnalysis.CSharp.dll | sed 's/.*/-r:"&"/' > "$build/refs.rsp"
"$1/dotnet" "$roslyn/csc.dll" -nologo -nowarn:CS1702 -noconfig -nostdlib -optimize -langversion:8 -out:"$build/generator.dll" @"$build/refs.rsp" "$here/generator.cs"
cp "$roslyn"/Microsoft.CodeAnalysis*.dll "$roslyn"/System.*.dll "$build"
echo '{"runtimeOptions":{"tfm":"netcoreapp3.1","framework":{"name":"Microsoft.NETCore.App","version":"3.1.0"}}}' > "$build/generator.runtimeconfig.json"
for corpus in "$2"/*/; do
  name=$(basename "$corpus")
  "$1/dotnet" "$build/generator.dll" "$name" "$corpus" "${OUT:-$here}" "$refs" $(cat "$here/$name.symbols" 2>/dev/null)
done
