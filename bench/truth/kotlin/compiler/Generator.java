// Generator NAME FOLDER OUT.jsonl: parses every .kt file below FOLDER with the Kotlin compiler's parser and writes its declarations, one file a line.
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.*;
import java.nio.file.*;
import java.security.MessageDigest;
import java.util.*;
import java.util.stream.*;
import org.jetbrains.kotlin.cli.common.messages.MessageCollector;
import org.jetbrains.kotlin.cli.jvm.compiler.*;
import org.jetbrains.kotlin.com.intellij.openapi.util.Disposer;
import org.jetbrains.kotlin.com.intellij.psi.*;
import org.jetbrains.kotlin.com.intellij.psi.util.PsiTreeUtil;
import org.jetbrains.kotlin.config.*;
import org.jetbrains.kotlin.kdoc.psi.api.KDoc;
import org.jetbrains.kotlin.lexer.KtTokens;
import org.jetbrains.kotlin.psi.*;

public class Generator {
    static String text;
    static int[] starts;
    static List<String> rows;

    public static void main(String[] a) throws Exception {
        var disposable = Disposer.newDisposable("generator");
        var conf = new CompilerConfiguration();
        conf.put(CommonConfigurationKeys.MESSAGE_COLLECTOR_KEY, MessageCollector.Companion.getNONE());
        conf.put(CommonConfigurationKeys.MODULE_NAME, "generator");
        conf.put(JVMConfigurationKeys.NO_JDK, true);
        org.jetbrains.kotlin.cli.FrontendConfigurationKeysKt.setExtensionsStorage(conf, new org.jetbrains.kotlin.compiler.plugin.CompilerPluginRegistrar.ExtensionStorage());
        var project = KotlinCoreEnvironment.Companion.createForProduction(disposable, conf, EnvironmentConfigFiles.JVM_CONFIG_FILES).getProject();
        var factory = new KtPsiFactory(project, false);
        Path root = Path.of(a[1]).toRealPath();
        List<Path> files;
        try (var w = Files.walk(root)) { files = w.filter(p -> p.toString().endsWith(".kt") && Files.isRegularFile(p)).sorted().collect(Collectors.toList()); }
        int good = 0, bad = 0, decls = 0;
        try (var out = new PrintStream(a[2], "UTF-8")) {
            for (Path p : files) {
                String rel = root.relativize(p).toString();
                String raw;
                try { raw = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(Files.readAllBytes(p))).toString(); }
                catch (CharacterCodingException e) { System.err.println("not UTF-8: " + rel); bad++; continue; }
                text = raw.replace("\r\n", "\n").replace("\uFEFF", "");
                starts = IntStream.concat(IntStream.of(0), IntStream.range(0, text.length()).filter(i -> text.charAt(i) == '\n').map(i -> i + 1)).toArray();
                KtFile f = factory.createFile(p.getFileName().toString(), text);
                var err = PsiTreeUtil.findChildOfType(f, PsiErrorElement.class);
                if (err != null) { System.err.println("not understood: " + rel + ":" + line(err.getTextRange().getStartOffset()) + " " + err.getErrorDescription()); bad++; continue; }
                rows = new ArrayList<>();
                walk(f, new ArrayList<>(), false);
                good++; decls += rows.size();
                int lines = starts.length - (text.endsWith("\n") ? 1 : 0);
                out.print("{\"repo\":" + q(a[0]) + ",\"path\":" + q(rel) + ",\"lang\":\"kotlin\",\"split\":" + q(split(a[0] + ":" + rel)) + ",\"lines\":" + lines
                    + ",\"ignore\":[],\"symbols\":[" + String.join(",", rows) + "]}\n");
            }
        }
        System.err.println(a[0] + ": " + good + " files, " + decls + " declarations; left out " + bad);
        Disposer.dispose(disposable);
    }

    /** Declarations below `e`; `path` holds the names of the declarations around it, `anon` tells that the nearest class is an object expression. */
    static void walk(PsiElement e, List<String> path, boolean anon) {
        for (PsiElement c = e.getFirstChild(); c != null; c = c.getNextSibling()) {
            List<String> inner = path;
            boolean an = anon;
            if (c instanceof KtObjectDeclaration && ((KtObjectDeclaration) c).isObjectLiteral()) an = true;
            else if (c instanceof KtDeclaration) {
                String name = name((KtDeclaration) c), kind = kind((KtDeclaration) c, anon);
                if (name != null && kind != null) {
                    inner = new ArrayList<>(path);
                    String receiver = receiver((KtDeclaration) c);
                    if (receiver != null) inner.add(receiver);
                    inner.add(name);
                    rows.add(row((KtDeclaration) c, name, String.join(".", inner), kind, anon, receiver));
                }
                if (c instanceof KtClassOrObject) an = false;
            }
            walk(c, inner, an);
        }
    }

    static String name(KtDeclaration d) {
        if (d instanceof KtObjectDeclaration && ((KtObjectDeclaration) d).isCompanion() && ((KtObjectDeclaration) d).getNameIdentifier() == null) return "Companion";
        if (d instanceof KtSecondaryConstructor) return "constructor";
        return d instanceof KtNamedDeclaration ? ((KtNamedDeclaration) d).getName() : null;
    }

    static boolean member(KtDeclaration d) { return d.getParent() instanceof KtClassBody; }

    static String kind(KtDeclaration d, boolean anon) {
        if (d instanceof KtEnumEntry) return "enum_member";
        if (d instanceof KtClass) return ((KtClass) d).isInterface() ? "interface" : ((KtClass) d).isEnum() ? "enum" : "class";
        if (d instanceof KtObjectDeclaration) return "class";
        if (d instanceof KtTypeAlias) return "type";
        if (d instanceof KtSecondaryConstructor) return "constructor";
        if (d instanceof KtNamedFunction) return member(d) && !anon || ((KtNamedFunction) d).getReceiverTypeReference() != null ? "method" : "function";
        if (d instanceof KtParameter) return ((KtParameter) d).hasValOrVar() ? "property" : null;
        if (!(d instanceof KtProperty) || ((KtProperty) d).isLocal()) return null;
        if (d.hasModifier(KtTokens.CONST_KEYWORD)) return "constant";
        return member(d) || ((KtProperty) d).getReceiverTypeReference() != null ? "property" : "variable";
    }

    /** The type that an extension extends, without type arguments and `?`. */
    static String receiver(KtDeclaration d) {
        KtTypeReference t = d instanceof KtNamedFunction || d instanceof KtProperty ? ((KtCallableDeclaration) d).getReceiverTypeReference() : null;
        KtTypeElement e = t == null ? null : t.getTypeElement();
        while (e instanceof KtNullableType) e = ((KtNullableType) e).getInnerType();
        return e instanceof KtUserType ? ((KtUserType) e).getReferencedName() : null;
    }

    static String row(KtDeclaration d, String name, String qual, String kind, boolean anon, String receiver) {
        int outer = d.getTextRange().getStartOffset(), begin = begin(d);
        PsiElement id = d instanceof KtNamedDeclaration ? ((KtNamedDeclaration) d).getNameIdentifier() : null;
        int nameAt = d instanceof KtSecondaryConstructor ? ((KtSecondaryConstructor) d).getConstructorKeyword().getTextRange().getStartOffset()
            : id != null ? id.getTextRange().getStartOffset() : d instanceof KtObjectDeclaration ? ((KtObjectDeclaration) d).getObjectKeyword().getTextRange().getStartOffset() : begin;
        String tier = anon && d instanceof KtProperty ? "object" : "core";
        String construct = d instanceof KtObjectDeclaration && ((KtObjectDeclaration) d).isCompanion() ? "Companion" : d.getClass().getSimpleName().substring(2)
            + (d instanceof KtClass && ((KtClass) d).isInterface() ? "Interface" : "") + (receiver != null ? "Extension" : "")
            + (anon && !(d instanceof KtClassOrObject) ? "InObject" : (d instanceof KtNamedFunction && ((KtNamedFunction) d).isLocal()) ? "Local" : "");
        String row = "{\"name\":" + q(name) + ",\"qual\":" + q(qual) + ",\"kind\":" + q(kind) + ",\"tier\":" + q(tier) + ",\"construct\":" + q("kt:" + construct)
            + ",\"line\":" + line(begin) + ",\"outer\":" + line(outer) + ",\"name_line\":" + line(nameAt) + ",\"end\":" + line(end(d))
            + ",\"decorators\":" + list(d.getAnnotationEntries().stream().map(x -> x.getText())) + ",\"doc\":" + q(doc(d));
        List<KtParameter> ps = d instanceof KtFunction ? ((KtFunction) d).getValueParameters() : List.of();
        if (!ps.isEmpty()) row += ",\"params\":" + list(ps.stream().map(x -> x.getName()).filter(x -> x != null));
        return row + "}";
    }

    /** Where the declaration begins, without documentation, comments and annotations. */
    static int begin(PsiElement e) {
        for (PsiElement c = e.getFirstChild(); c != null; c = c.getNextSibling()) {
            if (c instanceof PsiComment || c instanceof PsiWhiteSpace || c instanceof KtAnnotationEntry || c instanceof KtAnnotation) continue;
            if (c instanceof KtModifierList) { int b = begin(c); if (b >= 0) return b; continue; }
            return c.getTextRange().getStartOffset();
        }
        return e instanceof KtModifierList ? -1 : e.getTextRange().getStartOffset();
    }

    /** Its last character, without comments, and the comma or semicolon after an entry. */
    static int end(PsiElement e) {
        for (PsiElement x = PsiTreeUtil.getDeepestLast(e); x != null; x = PsiTreeUtil.prevLeaf(x)) {
            if (PsiTreeUtil.getParentOfType(x, PsiComment.class, false) != null || x.getTextLength() == 0 || x instanceof PsiWhiteSpace) continue;
            if (x.getText().equals(";") || x.getText().equals(",")) continue;
            return x.getTextRange().getEndOffset() - 1;
        }
        return e.getTextRange().getEndOffset() - 1;
    }

    /** The first line of the documentation that has text (up to the first tag, no fence). */
    static String doc(KtDeclaration d) {
        KDoc k = d.getDocComment();
        if (k == null) return null;
        return k.getText().replaceFirst("^/\\*\\*", "").replaceFirst("\\*+/$", "").lines().map(l -> l.replaceFirst("^\\s*\\*+", "").strip()).takeWhile(l -> !l.startsWith("@")).filter(l -> !l.isEmpty() && !l.startsWith("```")).findFirst().orElse(null);
    }

    static int line(int offset) { int i = Arrays.binarySearch(starts, offset); return i >= 0 ? i + 1 : -i - 1; }

    static String split(String key) throws Exception {
        byte[] h = MessageDigest.getInstance("SHA-256").digest(("foldout-truth-v1|" + key).getBytes("UTF-8"));
        return h[3] % 2 == 0 ? "dev" : "held_out";
    }

    static String list(Stream<String> s) { return s.map(Generator::q).collect(Collectors.joining(",", "[", "]")); }

    static String q(String s) {
        if (s == null) return "null";
        var b = new StringBuilder("\"");
        for (char c : s.toCharArray())
            if (c == '"' || c == '\\') b.append('\\').append(c);
            else if (c < 32) b.append(String.format("\\u%04x", (int) c));
            else b.append(c);
        return b.append('"').toString();
    }
}
