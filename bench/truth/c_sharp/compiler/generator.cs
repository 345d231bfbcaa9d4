// Writes what the C# compiler knows of a project: the outline of each file, and all uses of a draw of its symbols. See README.md.
//   generator REPO FOLDER OUT REFERENCE_FOLDER [SYMBOL,SYMBOL...]
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

static class Generator
{
    static readonly JsonSerializerOptions Json = new JsonSerializerOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, IgnoreNullValues = false };
    static string Repo;
    static void Main(string[] args)
    {
        Repo = args[0];
        string root = Path.GetFullPath(args[1]), output = args[2];
        var defines = args.Length > 4 ? args[4].Split(',') : new string[0];
        var options = new CSharpParseOptions(LanguageVersion.CSharp8, DocumentationMode.Parse, SourceCodeKind.Regular, defines);
        var trees = new List<SyntaxTree>();
        foreach (var file in Directory.GetFiles(root, "*.cs", SearchOption.AllDirectories).OrderBy(f => f, StringComparer.Ordinal))
        {
            var path = Path.GetRelativePath(root, file);
            if (Regex.IsMatch(path, @"(^|/)(bin|obj)/")) continue;
            trees.Add(CSharpSyntaxTree.ParseText(File.ReadAllText(file), options, path));
        }
        using (var writer = new StreamWriter(Path.Combine(output, "outline." + Repo + ".jsonl")))
            foreach (var tree in trees)
                if (tree.GetDiagnostics().Any(d => d.Severity == DiagnosticSeverity.Error)) Console.WriteLine("does not parse: " + tree.FilePath);
                else if (Off(tree) <= 0.1) writer.WriteLine(JsonSerializer.Serialize(Outline(tree), Json));
        var references = Directory.GetFiles(args[3], "*.dll").Select(f => MetadataReference.CreateFromFile(f));
        var compilation = CSharpCompilation.Create(Repo, trees, references, new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true));
        var errors = compilation.GetDiagnostics().Where(d => d.Severity == DiagnosticSeverity.Error).ToList();
        Console.WriteLine(Repo + ": " + trees.Count + " files, errors " + errors.Count + " " + string.Join(" ", errors.GroupBy(e => e.Id).OrderByDescending(g => g.Count()).Take(8).Select(g => g.Key + "*" + g.Count())));
        new References(compilation).Write(Path.Combine(output, "refs." + Repo + ".jsonl"));
    }
    public static int Line(SyntaxTree tree, int position) => tree.GetText().Lines.GetLineFromPosition(position).LineNumber + 1;
    public static int Line(SyntaxToken token) => Line(token.SyntaxTree, token.SpanStart);
    /// The share of lines that `#if` leaves out.
    public static double Off(SyntaxTree tree)
    {
        int off = tree.GetRoot().DescendantTrivia().Where(t => t.IsKind(SyntaxKind.DisabledTextTrivia)).Sum(t => t.ToString().Count(c => c == '\n'));
        return (double)off / tree.GetText().Lines.Count;
    }
    public static string Hash(string text)
    {
        using (var sha = SHA256.Create()) return string.Concat(sha.ComputeHash(Encoding.UTF8.GetBytes(text)).Take(4).Select(b => b.ToString("x2")));
    }
    public static string Split(string key) => Convert.ToUInt32(Hash("foldout-truth-v1|" + key), 16) % 2 == 0 ? "dev" : "held_out";

    // ------------------------------------------------------------------ outline
    static object Outline(SyntaxTree tree)
    {
        var symbols = new List<object>();
        foreach (var node in tree.GetRoot().DescendantNodes())
            foreach (var (name, token, kind) in Declared(node))
            {
                var whole = node is VariableDeclaratorSyntax ? node.Parent.Parent : node;
                var row = new Dictionary<string, object>();
                row["name"] = name.Split('.').Last();
                row["qual"] = string.Join(".", Containers(node).Append(name));
                row["kind"] = kind;
                row["tier"] = "core";
                row["construct"] = "cs:" + whole.Kind();
                row["line"] = Start(node, token);
                var text = Documentation(whole, out int first);
                row["outer"] = first;
                row["name_line"] = Line(token);
                row["end"] = Line(tree, Math.Max(whole.Span.End - 1, whole.SpanStart));
                row["decorators"] = whole.ChildNodes().OfType<AttributeListSyntax>().Select(a => "[" + string.Join(", ", a.Attributes.Select(x => x.Name.ToString())) + "]").ToArray();
                row["doc"] = text;
                var parameters = whole.ChildNodes().OfType<BaseParameterListSyntax>().FirstOrDefault();
                if (parameters != null) row["params"] = parameters.Parameters.Select(p => p.Identifier.ValueText).ToArray();
                symbols.Add(row);
            }
        return new Dictionary<string, object>
        {
            ["repo"] = Repo, ["path"] = tree.FilePath, ["lang"] = "c_sharp", ["split"] = Split(Repo + ":" + tree.FilePath), ["lines"] = tree.GetText().Lines.Count,
            ["ignore"] = tree.GetRoot().DescendantTrivia().Where(t => t.IsKind(SyntaxKind.DisabledTextTrivia)).Select(t => new[] { Line(tree, t.SpanStart), Line(tree, t.Span.End) }).ToArray(),
            ["symbols"] = symbols,
        };
    }
    /// The line where a declaration begins, without its attributes and comment.
    public static int Start(SyntaxNode node, SyntaxToken token)
    {
        if (node is VariableDeclaratorSyntax && node != ((VariableDeclarationSyntax)node.Parent).Variables[0]) return Line(token);
        var whole = node is VariableDeclaratorSyntax ? node.Parent.Parent : node;
        var first = whole.ChildNodesAndTokens().First(c => !c.IsKind(SyntaxKind.AttributeList));
        return Line(first.IsToken ? first.AsToken() : first.AsNode().GetFirstToken());
    }
    /// The declarations that a node makes: name, the token of the name, kind.
    public static IEnumerable<(string, SyntaxToken, string)> Declared(SyntaxNode node)
    {
        switch (node)
        {
            case NamespaceDeclarationSyntax n: yield return (n.Name.ToString().Replace(" ", ""), n.Name.GetLastToken(), "namespace"); break;
            case ClassDeclarationSyntax n: yield return (n.Identifier.ValueText, n.Identifier, "class"); break;
            case StructDeclarationSyntax n: yield return (n.Identifier.ValueText, n.Identifier, "struct"); break;
            case InterfaceDeclarationSyntax n: yield return (n.Identifier.ValueText, n.Identifier, "interface"); break;
            case EnumDeclarationSyntax n: yield return (n.Identifier.ValueText, n.Identifier, "enum"); break;
            case EnumMemberDeclarationSyntax n: yield return (n.Identifier.ValueText, n.Identifier, "enum_member"); break;
            case DelegateDeclarationSyntax n: yield return (n.Identifier.ValueText, n.Identifier, "type"); break;
            case MethodDeclarationSyntax n: yield return (n.Identifier.ValueText, n.Identifier, "method"); break;
            case ConstructorDeclarationSyntax n: yield return (n.Identifier.ValueText, n.Identifier, "constructor"); break;
            case DestructorDeclarationSyntax n: yield return ("~" + n.Identifier.ValueText, n.Identifier, "method"); break;
            case OperatorDeclarationSyntax n: yield return ("operator " + n.OperatorToken.Text, n.OperatorToken, "method"); break;
            case ConversionOperatorDeclarationSyntax n: yield return ("operator " + n.Type, n.OperatorKeyword, "method"); break;
            case PropertyDeclarationSyntax n: yield return (n.Identifier.ValueText, n.Identifier, "property"); break;
            case IndexerDeclarationSyntax n: yield return ("this", n.ThisKeyword, "property"); break;
            case EventDeclarationSyntax n: yield return (n.Identifier.ValueText, n.Identifier, "property"); break;
            case LocalFunctionStatementSyntax n: yield return (n.Identifier.ValueText, n.Identifier, "function"); break;
            case VariableDeclaratorSyntax n when n.Parent.Parent is EventFieldDeclarationSyntax: yield return (n.Identifier.ValueText, n.Identifier, "property"); break;
            case VariableDeclaratorSyntax n when n.Parent.Parent is FieldDeclarationSyntax f:
                yield return (n.Identifier.ValueText, n.Identifier, f.Modifiers.Any(SyntaxKind.ConstKeyword) ? "constant" : "field"); break;
        }
    }
    public static IEnumerable<string> Containers(SyntaxNode node) =>
        node.Ancestors().SelectMany(a => a is VariableDeclaratorSyntax ? Declared(node).Take(0) : Declared(a)).Select(d => d.Item1).Reverse();
    /// The first words of the summary, up to the first tag or entity in it, and the line where the comment or the declaration begins.
    static string Documentation(SyntaxNode node, out int first)
    {
        first = Line(node.SyntaxTree, node.SpanStart);
        string found = null;
        foreach (var trivia in node.GetLeadingTrivia())
            if (trivia.GetStructure() is DocumentationCommentTriviaSyntax comment)
            {
                first = Line(node.SyntaxTree, trivia.FullSpan.Start);
                var summary = comment.Content.OfType<XmlElementSyntax>().FirstOrDefault(e => e.StartTag.Name.ToString() == "summary");
                var words = summary?.Content.OfType<XmlTextSyntax>().SelectMany(t => t.TextTokens).Where(t => !t.IsKind(SyntaxKind.XmlTextLiteralNewLineToken)).Select(t => t.Text.Split('&')[0].Trim());
                found = words?.FirstOrDefault(w => w.Length > 2) ?? found;
            }
        return found;
    }
}

// ---------------------------------------------------------------------- references
class References
{
    readonly CSharpCompilation compilation;
    readonly Dictionary<ISymbol, HashSet<(string, int)>> uses = new Dictionary<ISymbol, HashSet<(string, int)>>(), perhaps = new Dictionary<ISymbol, HashSet<(string, int)>>();
    readonly Dictionary<string, HashSet<(string, int)>> unknown = new Dictionary<string, HashSet<(string, int)>>();
    readonly Dictionary<ISymbol, ISymbol> relative = new Dictionary<ISymbol, ISymbol>();
    readonly List<(ISymbol symbol, SyntaxNode node, SyntaxToken token, string name, string kind)> declared = new List<(ISymbol, SyntaxNode, SyntaxToken, string, string)>();
    public References(CSharpCompilation compilation)
    {
        this.compilation = compilation;
        foreach (var tree in compilation.SyntaxTrees)
        {
            var model = compilation.GetSemanticModel(tree);
            foreach (var node in tree.GetRoot().DescendantNodes())
                foreach (var (name, token, kind) in Generator.Declared(node))
                    if (!(node is NamespaceDeclarationSyntax) && model.GetDeclaredSymbol(node) is ISymbol symbol)
                        declared.Add((Normal(symbol), node, token, name, kind));
        }
        var names = new HashSet<string>(declared.Select(d => d.name));
        foreach (var tree in compilation.SyntaxTrees) Bind(tree, names);
        foreach (var symbol in declared.Select(d => d.symbol).Distinct()) Relate(symbol);
    }
    static ISymbol Normal(ISymbol symbol)
    {
        if (symbol is IMethodSymbol method)
        {
            symbol = method = method.ReducedFrom ?? method;
            if (method.AssociatedSymbol != null) symbol = method.AssociatedSymbol;
            else if (method.OriginalDefinition.PartialDefinitionPart != null) symbol = method.OriginalDefinition.PartialDefinitionPart;
        }
        return symbol.OriginalDefinition;
    }
    static void Add<K>(Dictionary<K, HashSet<(string, int)>> map, K key, (string, int) place)
    {
        if (!map.TryGetValue(key, out var set)) map[key] = set = new HashSet<(string, int)>();
        set.Add(place);
    }
    void Bind(SyntaxTree tree, HashSet<string> names)
    {
        var model = compilation.GetSemanticModel(tree);
        foreach (var trivia in tree.GetRoot().DescendantTrivia())  // comments and what `#if` leaves out are neutral
            if (trivia.IsKind(SyntaxKind.DisabledTextTrivia) || trivia.HasStructure || trivia.ToString().StartsWith("/"))
                foreach (Match word in Regex.Matches(trivia.ToFullString(), @"\w+"))
                    if (names.Contains(word.Value)) Add(unknown, word.Value, (tree.FilePath, Generator.Line(tree, trivia.FullSpan.Start + word.Index)));
        foreach (var node in tree.GetRoot().DescendantNodes())
        {
            var place = (tree.FilePath, 0);
            if (node is ObjectCreationExpressionSyntax create)
            {
                var type = create.Type is QualifiedNameSyntax q ? q.Right : create.Type is AliasQualifiedNameSyntax a ? a.Name : create.Type;
                Constructor(model.GetSymbolInfo(node), (tree.FilePath, Generator.Line(type.GetFirstToken())));
            }
            else if (node is ConstructorInitializerSyntax initializer)
                Constructor(model.GetSymbolInfo(node), (tree.FilePath, Generator.Line(initializer.ThisOrBaseKeyword)));
            if (!(node is SimpleNameSyntax name) || node.Parent is NameEqualsSyntax && node.Parent.Parent is AnonymousObjectMemberDeclaratorSyntax) continue;
            place.Item2 = Generator.Line(name.Identifier);
            var text = name.Identifier.ValueText;
            var last = node.Parent is QualifiedNameSyntax up && up.Right == node ? node.Parent : node;
            bool attribute = last.Parent is AttributeSyntax;
            var info = attribute ? model.GetSymbolInfo((AttributeSyntax)last.Parent) : model.GetSymbolInfo(name);
            var found = info.Symbol == null ? new ISymbol[0] : new[] { Normal(info.Symbol) };
            if (attribute && found.Length > 0) found = new[] { found[0], found[0].ContainingType };
            else if (info.Symbol == null && info.CandidateReason == CandidateReason.MemberGroup)  // nameof(Method)
            {
                if (info.CandidateSymbols.Length == 1) found = new[] { Normal(info.CandidateSymbols[0]) };
                else foreach (var candidate in info.CandidateSymbols) Add(perhaps, Normal(candidate), place);
            }
            else if (info.Symbol == null)
            {
                if (names.Contains(text)) Add(unknown, text, place);
                if (attribute && names.Contains(text + "Attribute")) Add(unknown, text + "Attribute", place);
            }
            foreach (var symbol in found)
                if (symbol is INamespaceSymbol || symbol.Locations.All(l => !l.IsInSource)) { }
                else if (symbol.Name == text || attribute && (symbol.Name == text + "Attribute" || symbol.Name == ".ctor")) Add(uses, symbol, place);
                else Add(perhaps, symbol, place);  // an alias, `var`
        }
    }
    void Constructor(SymbolInfo info, (string, int) place)
    {
        if (info.Symbol != null) Add(uses, Normal(info.Symbol), place);
        else foreach (var candidate in info.CandidateSymbols) Add(perhaps, Normal(candidate), place);
    }
    ISymbol Head(ISymbol symbol) { while (relative.TryGetValue(symbol, out var next) && !next.Equals(symbol)) symbol = next; return symbol; }
    void Join(ISymbol one, ISymbol other)
    {
        if (one == null || other == null) return;
        ISymbol a = Head(Normal(one)), b = Head(Normal(other));
        if (!a.Equals(b)) relative[a] = b;
    }
    /// Members that override or implement one another.
    void Relate(ISymbol symbol)
    {
        Join(symbol, (symbol as IMethodSymbol)?.OverriddenMethod ?? (symbol as IPropertySymbol)?.OverriddenProperty ?? (ISymbol)(symbol as IEventSymbol)?.OverriddenEvent);
        if (symbol is INamedTypeSymbol type && type.TypeKind != TypeKind.Interface)
            foreach (var member in type.AllInterfaces.SelectMany(i => i.GetMembers()))
                Join(member, type.FindImplementationForInterfaceMember(member));
    }
    public void Write(string path)
    {
        var quota = new Dictionary<string, int> { ["method"] = 16, ["overload"] = 12, ["extension"] = 8, ["interface_method"] = 6, ["class"] = 6, ["generic"] = 4, ["interface"] = 4, ["struct"] = 2,
            ["property"] = 8, ["event"] = 2, ["field"] = 4, ["constant"] = 3, ["constructor"] = 5, ["enum"] = 2, ["enum_member"] = 3, ["type"] = 2, ["function"] = 2 };
        int factor = int.Parse(Environment.GetEnvironmentVariable("DRAW") ?? "1");
        foreach (var key in quota.Keys.ToList()) quota[key] *= factor;
        var byName = declared.GroupBy(d => d.name).ToDictionary(g => g.Key, g => g.Select(d => d.symbol).Distinct().ToList());
        var bySymbol = declared.GroupBy(d => d.symbol).ToDictionary(g => g.Key, g => g.ToList());
        var families = declared.Select(d => d.symbol).Distinct().GroupBy(Head).ToDictionary(g => g.Key, g => g.ToList());
        var rows = new List<(string, object)>();
        foreach (var d in declared.OrderBy(d => Generator.Hash("seed 46|" + d.node.SyntaxTree.FilePath + ":" + d.name + ":" + Generator.Line(d.token)), StringComparer.Ordinal))
        {
            var same = byName[d.name].Where(s => !s.Equals(d.symbol) && (s.Kind != SymbolKind.Method || ((IMethodSymbol)s).MethodKind != MethodKind.Constructor || d.kind == "constructor")).ToList();
            bool overload = same.Any(s => Equals(s.ContainingSymbol, d.symbol.ContainingSymbol)), extension = d.symbol is IMethodSymbol m && m.IsExtensionMethod;
            var group = d.kind == "method" ? extension ? "extension" : overload ? "overload" : d.symbol.ContainingType.TypeKind == TypeKind.Interface ? "interface_method" : "method"
                : d.symbol is IEventSymbol ? "event" : d.symbol is INamedTypeSymbol t && t.IsGenericType && d.kind != "type" ? "generic" : d.kind;
            var place = (d.node.SyntaxTree.FilePath, Generator.Start(d.node, d.token));
            if (!quota.TryGetValue(group, out int left) || left == 0 || d.token.ValueText != d.name || Generator.Off(d.node.SyntaxTree) > 0.1) continue;
            if (d.symbol is IMethodSymbol e && e.ExplicitInterfaceImplementations.Any() || d.symbol is IPropertySymbol p && (p.IsIndexer || p.ExplicitInterfaceImplementations.Any())) continue;
            if (Doubtful(d.symbol, bySymbol) || !uses.TryGetValue(d.symbol, out var wanted) || wanted.Count < 2) continue;
            quota[group] = left - 1;
            var roles = new Dictionary<(string, int), string>();
            void Mark(IEnumerable<(string, int)> places, string role) { foreach (var x in places) roles[x] = role; }  // the later, the stronger
            if (unknown.TryGetValue(d.name, out var dark)) Mark(dark, "unknown");
            if (perhaps.TryGetValue(d.symbol, out var maybe)) Mark(maybe, "unknown");
            foreach (var other in families[Head(d.symbol)].Where(s => !s.Equals(d.symbol)))
            {
                if (uses.TryGetValue(other, out var others)) Mark(others, "family");
                Mark(bySymbol[other].Select(x => (x.node.SyntaxTree.FilePath, Generator.Line(x.token))), "family");
            }
            if (d.symbol is INamedTypeSymbol own)  // the name of its constructors
                Mark(own.Constructors.Where(bySymbol.ContainsKey).SelectMany(c => bySymbol[c]).Select(x => (x.node.SyntaxTree.FilePath, Generator.Line(x.token))), "def");
            Mark(wanted, "use");
            Mark(bySymbol[d.symbol].Select(x => (x.node.SyntaxTree.FilePath, Generator.Line(x.token))).Where(x => !wanted.Contains(x)), "def");
            var qual = string.Join(".", Generator.Containers(d.node).Append(d.name));
            var id = Path.GetFileNameWithoutExtension(path).Substring(5) + ":" + place.Item1 + ":" + qual + ":" + place.Item2;
            var hard = new List<string>();
            if (overload) hard.Add("overload"); else if (same.Any(s => !Head(s).Equals(Head(d.symbol)))) hard.Add("same-name");
            if (extension) hard.Add("extension");
            if (families[Head(d.symbol)].Count > 1) hard.Add("family");
            rows.Add((id, new Dictionary<string, object>
            {
                ["id"] = id, ["repo"] = id.Split(':')[0], ["lang"] = "c_sharp", ["path"] = place.Item1, ["qual"] = qual, ["name"] = d.name, ["kind"] = d.kind, ["group"] = group, ["line"] = place.Item2,
                ["split"] = Generator.Split(id.Split(':')[0] + ":" + qual), ["truth"] = "compiler", ["hard"] = hard,
                ["locs"] = roles.OrderBy(r => r.Key.Item1, StringComparer.Ordinal).ThenBy(r => r.Key.Item2).Select(r => new object[] { r.Key.Item1, r.Key.Item2, r.Value }),
            }));
        }
        var options = new JsonSerializerOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };
        File.WriteAllLines(path, rows.OrderBy(r => r.Item1, StringComparer.Ordinal).Select(r => JsonSerializer.Serialize(r.Item2, options)));
        Console.WriteLine("symbols " + rows.Count + ", not found enough: " + string.Join(" ", quota.Where(q => q.Value > 0).Select(q => q.Key + " " + q.Value)));
    }
    /// A type that two projects of the repository define (the compiler takes both for one).
    static bool Doubtful(ISymbol symbol, Dictionary<ISymbol, List<(ISymbol, SyntaxNode node, SyntaxToken, string, string)>> bySymbol)
    {
        for (var type = symbol; type != null && !(type is INamespaceSymbol); type = type.ContainingSymbol)
            if (bySymbol.TryGetValue(type, out var parts) && parts.Count > 1 && !parts.All(p => p.node is TypeDeclarationSyntax d && d.Modifiers.Any(SyntaxKind.PartialKeyword) || p.node is MethodDeclarationSyntax e && e.Modifiers.Any(SyntaxKind.PartialKeyword)))
                return true;
        return false;
    }
}
